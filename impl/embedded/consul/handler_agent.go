package consul

import "net/http"

// raftAddr stands for the address between servers, of which there is none.
const raftAddr = "127.0.0.1:8300"

// agentInfo is the part of the description of an agent that means something
// here. Clients ask for it to see whether somebody is there.
type agentInfo struct {
	Config struct {
		Datacenter, NodeName, Version string
		Server                        bool
	}
	Member struct {
		Name, Addr string
		Status     int
	}
}

// aliveMember is how an agent reports a member that has not failed.
const aliveMember = 1

func (h handler) agentSelf(w http.ResponseWriter, _ *http.Request) error {
	var info agentInfo
	info.Config.Datacenter, info.Config.NodeName = h.store.opts.Datacenter, h.store.opts.Node
	info.Config.Version, info.Config.Server = "embedded", true
	info.Member.Name, info.Member.Addr = h.store.opts.Node, "127.0.0.1"
	info.Member.Status = aliveMember
	return writeJSON(w, http.StatusOK, info)
}

func (h handler) leader(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, raftAddr)
}

func (h handler) peers(w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, []string{raftAddr})
}
