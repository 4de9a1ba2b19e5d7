package lock

import (
	"fmt"
	"reflect"
	"strings"
)

// KeyTemplate makes keys such as post:like:7:42 from a pattern such as
// post:like:{post}:{user} and the fields of a value. It is immutable.
//
// Different fields give different keys: whatever stands in a field is escaped,
// so that 1:2 and 3 do not make the key that 1 and 2:3 make.
type KeyTemplate struct {
	pattern string
	// literals are what stands before, between and after the fields: there is
	// one more of them.
	literals []string
	fields   []string
}

// separators are the characters that keep two fields apart. They are escaped
// within a field.
const separators = ":/|,;#@!&=+*$ "

// ParseKeyTemplate reads a pattern. The error is [ErrInvalid]: a brace without
// its partner, a field without a name, no field at all, or two fields with none
// of the characters :/|,;#@!&=+*$ and space between them, of which keys could
// then be mistaken for each other.
func ParseKeyTemplate(pattern string) (*KeyTemplate, error) {
	t := &KeyTemplate{pattern: pattern}
	rest := pattern
	for {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return nil, t.invalid("a } without its {")
		}
		t.literals = append(t.literals, literal)
		if !found {
			break
		}
		name, after, found := strings.Cut(after, "}")
		if !found || strings.Contains(name, "{") {
			return nil, t.invalid("a { without its }")
		}
		if name == "" {
			return nil, t.invalid("a field without a name")
		}
		t.fields = append(t.fields, name)
		rest = after
	}
	return t, t.check()
}

func (t *KeyTemplate) check() error {
	if len(t.fields) == 0 {
		return t.invalid("no {field}, so all keys would be the same")
	}
	for i, between := range t.literals[1:len(t.fields)] {
		if !strings.ContainsAny(between, separators) {
			return t.invalid(fmt.Sprintf("nothing such as : between {%s} and {%s}", t.fields[i], t.fields[i+1]))
		}
	}
	return nil
}

func (t *KeyTemplate) invalid(what string) error {
	return fmt.Errorf("%w: key template %q: %s", ErrInvalid, t.pattern, what)
}

// String is the pattern.
func (t *KeyTemplate) String() string { return t.pattern }

// Key makes the key for a struct, for a map with string keys, or for a pointer
// to one. A field of a struct is the one with that name in its tag `key:"…"`, or
// else the exported one with that name, whatever its case.
//
// A field that is missing, empty or nil, or of a kind that has no text, is
// [ErrInvalid]: a key that lacks a part would lock more than was meant.
func (t *KeyTemplate) Key(from any) (string, error) {
	v := reflect.ValueOf(from)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	var b strings.Builder
	b.WriteString(t.literals[0])
	for i, name := range t.fields {
		text, err := fieldText(v, name)
		if err != nil {
			return "", t.invalid(fmt.Sprintf("field %s %v", name, err))
		}
		b.WriteString(escape(text))
		b.WriteString(t.literals[i+1])
	}
	return b.String(), nil
}

// checkType finds out before there is a value whether values of a type can have
// the fields. Of a map and of an interface only the value can tell.
func (t *KeyTemplate) checkType(typ reflect.Type) error {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Map, reflect.Interface:
		return nil
	case reflect.Struct:
	default:
		return t.invalid(fmt.Sprintf("fields come from a struct or a map, not from %v", typ))
	}
	for _, name := range t.fields {
		if _, ok := structField(typ, name); !ok {
			return t.invalid(fmt.Sprintf("%v has no field %s", typ, name))
		}
	}
	return nil
}

// escape writes % and two hexadecimal digits for each byte that means something
// in a pattern, in an escape, or to a backend.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c == 0x7f || strings.IndexByte(separators+"%{}\\\"", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
