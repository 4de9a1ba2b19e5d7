package lock

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// What is wrong with a field of a [KeyTemplate].
var (
	errMissing = errors.New("is missing")
	errEmpty   = errors.New("is empty")
)

// fieldText is the text of a field of a struct or of a map.
func fieldText(v reflect.Value, name string) (string, error) {
	field, err := fieldOf(v, name)
	if err != nil {
		return "", err
	}
	text, err := textOf(field)
	if err == nil && text == "" {
		err = errEmpty
	}
	return text, err
}

func fieldOf(v reflect.Value, name string) (reflect.Value, error) {
	var field reflect.Value
	switch {
	case v.Kind() == reflect.Struct:
		if f, ok := structField(v.Type(), name); ok {
			// An embedded pointer that is nil has no fields.
			field, _ = v.FieldByIndexErr(f.Index)
		}
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		field = v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
	default:
		return v, errors.New("must come from a struct or a map with string keys")
	}
	if !field.IsValid() {
		return field, errMissing
	}
	return field, nil
}

// structField prefers a tag, then the name as it is, then the name in another
// case.
func structField(typ reflect.Type, name string) (reflect.StructField, bool) {
	var like reflect.StructField
	found := false
	for _, f := range reflect.VisibleFields(typ) {
		tag := f.Tag.Get("key")
		switch {
		case !f.IsExported():
		case tag == name:
			return f, true
		case tag != "":
		case f.Name == name, !found && strings.EqualFold(f.Name, name):
			like, found = f, true
		}
	}
	return like, found
}

// textOf writes what identifies something: text, whole numbers and booleans.
// Fractions are not among them, since equal ones need not look the same.
func textOf(v reflect.Value) (string, error) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return "", errEmpty
		}
		if _, ok := v.Interface().(encoding.TextMarshaler); ok {
			break
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		return string(text), err
	case fmt.Stringer:
		return x.String(), nil
	}
	switch {
	case v.Kind() == reflect.String:
		return v.String(), nil
	case v.CanInt(), v.CanUint(), v.Kind() == reflect.Bool:
		return fmt.Sprint(v.Interface()), nil
	}
	return "", fmt.Errorf("is of the type %v, which is neither text nor a whole number", v.Type())
}
