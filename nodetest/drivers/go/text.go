// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
)

// value gives what a word says, as ProgramSession writes it.
func (p *program) value(word string) (any, error) {
	kind, text, _ := strings.Cut(word, ":")
	switch kind {
	case "int":
		return strconv.Atoi(text)
	case "text":
		return text, nil
	case "null":
		return nil, nil
	case "unset":
		return gocql.UnsetValue, nil
	case "named":
		name, word, _ := strings.Cut(text, ":")
		value, err := p.value(word)
		return gocql.NamedValue(name, value), err
	case "cell":
		column, err := strconv.Atoi(text)
		if err != nil || column >= len(p.latest) {
			return nil, fmt.Errorf("no column %s in the latest row", text)
		}
		return p.latest[column], nil
	}
	return nil, fmt.Errorf("no kind of value is called %s", kind)
}

// rows reads what is left, of one page or of all; and the state of the page that follows.
func (p *program) rows(iterator *gocql.Iter) (lines []string, next []byte, err error) {
	lines = append(lines, "columns"+columns(iterator.Columns()))
	for {
		// Columns may change from page to page.
		row, err := iterator.RowData()
		if err != nil {
			break
		}
		// A pointer to a pointer tells null from zero.
		places := make([]any, len(row.Values))
		for i, value := range row.Values {
			places[i] = reflect.New(reflect.TypeOf(value)).Interface()
		}
		if !iterator.Scan(places...) {
			break
		}
		lines = append(lines, p.keep(row.Columns, places))
	}
	next = iterator.PageState()
	for _, warning := range iterator.Warnings() {
		lines = append(lines, "warning "+warning)
	}
	return lines, next, iterator.Close()
}

// keep makes a row the latest one, and gives its text.
func (p *program) keep(names []string, places []any) string {
	p.latest = p.latest[:0]
	texts := make([]string, len(places))
	for i, place := range places {
		pointer := reflect.ValueOf(place).Elem()
		if pointer.IsNil() {
			p.latest = append(p.latest, nil)
			texts[i] = names[i] + "=null"
			continue
		}
		value := pointer.Elem().Interface()
		p.latest = append(p.latest, value)
		texts[i] = fmt.Sprintf("%s=%T %v", names[i], value, value)
	}
	return strings.Join(texts, ", ")
}

func columns(columns []gocql.ColumnInfo) string {
	var text strings.Builder
	for _, column := range columns {
		fmt.Fprintf(&text, " %s.%s.%s %v", column.Keyspace, column.Table, column.Name, column.TypeInfo)
	}
	return text.String()
}

func (p *program) keyspace(name string) ([]string, error) {
	keyspace, err := p.session.KeyspaceMetadata(name)
	if errors.Is(err, gocql.ErrKeyspaceDoesNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprint(keyspace.Name, keyspace.DurableWrites, keyspace.StrategyClass, keyspace.StrategyOptions)}
	for _, name := range sorted(keyspace.Tables) {
		table := keyspace.Tables[name]
		for _, column := range sorted(table.Columns) {
			about := table.Columns[column]
			lines = append(lines, fmt.Sprint(name, " ", column, " ", about.Kind, about.ComponentIndex, about.Type, about.ClusteringOrder))
		}
	}
	for _, name := range sorted(keyspace.UserTypes) {
		about := keyspace.UserTypes[name]
		lines = append(lines, fmt.Sprint(name, about.FieldNames, about.FieldTypes))
	}
	return lines, nil
}

func sorted[V any](byName map[string]V) []string {
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (p *program) nodes() []string {
	var lines []string
	for _, host := range p.session.GetHosts() {
		lines = append(lines, fmt.Sprint(host.ConnectAddressAndPort(), " ", host.State(), " ", host.DataCenter(), " ", host.Rack(), " ",
			host.Version(), " ", host.HostID(), " ", host.Partitioner(), " ", host.Tokens()))
	}
	return lines
}
