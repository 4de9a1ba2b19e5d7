package state

import (
	"crypto/sha1"
	"encoding/base64"
	"net/netip"
	"strings"
)

// digestID is the identity that the scheme "digest" derives from
// "user:password": the user, and a hash of both.
func digestID(userPassword []byte) (string, bool) {
	user, _, ok := strings.Cut(string(userPassword), ":")
	if !ok {
		return "", false
	}
	sum := sha1.Sum(userPassword)
	return user + ":" + base64.StdEncoding.EncodeToString(sum[:]), true
}

// resolveACL checks a list as the server does and replaces the scheme "auth",
// which stands for whoever the client has proved to be.
func resolveACL(list []ACL, identities []string) ([]ACL, Code) {
	if len(list) == 0 {
		return nil, InvalidACL
	}
	var out []ACL
	for _, a := range list {
		switch {
		case a.Scheme == "auth":
			if len(identities) == 0 {
				return nil, InvalidACL
			}
			for _, id := range identities {
				out = append(out, ACL{Perms: a.Perms, Scheme: "digest", ID: id})
			}
		case validID(a):
			out = append(out, a)
		default:
			return nil, InvalidACL
		}
	}
	return out, OK
}

func validID(a ACL) bool {
	switch a.Scheme {
	case "world":
		return a.ID == "anyone"
	case "digest":
		return strings.Count(a.ID, ":") == 1
	case "ip":
		addr, _, _ := strings.Cut(a.ID, "/")
		_, err := netip.ParseAddr(addr)
		return err == nil
	}
	return false
}
