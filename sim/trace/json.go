package trace

import "encoding/json"

// Version is the version of the JSON form. It grows when a field changes its
// meaning or goes away, not when one is added.
const Version = 1

// MarshalJSON writes the whole record; see docs/trace-format.md. The same run
// gives the same bytes.
func (t *Trace) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version int     `json:"version"`
		Header  Header  `json:"header"`
		Marks   []Mark  `json:"marks"`
		Events  []Event `json:"events"`
	}{Version, t.header, t.marks, t.events})
}
