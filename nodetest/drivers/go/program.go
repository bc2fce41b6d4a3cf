// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/apache/cassandra-gocql-driver/v2/lz4"
)

const (
	bound           = 60 * time.Second
	reconnectionGap = 200 * time.Millisecond
)

// program is a session, and what it has prepared.
type program struct {
	cluster *gocql.ClusterConfig
	session *gocql.Session
	// The driver prepares a statement when it executes it: this is its text.
	statements map[string]string
	latest     []any
}

func (p *program) answer(request string, words []string) []string {
	lines, err := p.ask(request, words)
	if err != nil {
		return []string{fmt.Sprintf("error %T: %v", err, err)}
	}
	return lines
}

func (p *program) ask(request string, words []string) ([]string, error) {
	switch request {
	case "open":
		return nil, p.open(words[0], words[1], words[2], words[3], words[4])
	case "prepare":
		return p.prepare(words[0], words[1])
	case "execute":
		return p.execute(words[0], words[1], words[2:])
	case "page":
		return p.page(words[0], words[1], words[2], words[3:])
	case "concurrently":
		return p.concurrently(words[0], words[1])
	case "query":
		lines, _, err := p.rows(p.session.Query(words[0]).Iter())
		return lines, err
	case "use":
		return nil, p.use(words[0])
	case "keyspace":
		return p.keyspace(words[0])
	case "nodes":
		return p.nodes(), nil
	}
	return nil, fmt.Errorf("no request is called %s", request)
}

func (p *program) open(host, port, version, compression, keyspace string) (err error) {
	cluster := gocql.NewCluster(host)
	if cluster.Port, err = strconv.Atoi(port); err != nil {
		return err
	}
	if cluster.ProtoVersion, err = strconv.Atoi(version); err != nil {
		return err
	}
	if compression == "lz4" {
		cluster.Compressor = lz4.LZ4Compressor{}
	}
	cluster.Timeout = bound
	cluster.ConnectTimeout = bound
	cluster.ReconnectInterval = reconnectionGap
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{MaxRetries: 3, Interval: reconnectionGap}
	p.cluster = cluster
	return p.use(keyspace)
}

// The driver has no USE: a session has its keyspace from the beginning.
func (p *program) use(keyspace string) error {
	cluster := *p.cluster
	cluster.Keyspace = keyspace
	session, err := cluster.CreateSession()
	if err != nil {
		return err
	}
	if p.session != nil {
		p.session.Close()
	}
	p.session = session
	return nil
}

func (p *program) prepare(name, cql string) ([]string, error) {
	p.statements[name] = cql
	metadata, err := p.session.StatementMetadata(context.Background(), cql, "")
	if err != nil {
		return nil, err
	}
	return []string{"variables" + columns(metadata.BindColumns), "columns" + columns(metadata.ResultColumns)}, nil
}

func (p *program) bound(name, pageRows string, words []string) (*gocql.Query, error) {
	values := make([]any, len(words))
	for i, word := range words {
		value, err := p.value(word)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	rows, err := strconv.Atoi(pageRows)
	return p.session.Query(p.statements[name], values...).PageSize(rows), err
}

func (p *program) execute(name, pageRows string, words []string) ([]string, error) {
	query, err := p.bound(name, pageRows, words)
	if err != nil {
		return nil, err
	}
	lines, _, err := p.rows(query.Iter())
	return lines, err
}

func (p *program) page(name, pageRows, state string, words []string) ([]string, error) {
	query, err := p.bound(name, pageRows, words)
	if err != nil {
		return nil, err
	}
	from, err := hex.DecodeString(state)
	if err != nil {
		return nil, err
	}
	// A state that is not nil turns the driver's own paging off, also where it is empty.
	lines, next, err := p.rows(query.PageState(from).Iter())
	if len(next) == 0 {
		return append(lines, "last"), err
	}
	return append(lines, "next "+hex.EncodeToString(next)), err
}

func (p *program) concurrently(name, count string) ([]string, error) {
	number, err := strconv.Atoi(count)
	if err != nil {
		return nil, err
	}
	iterators := make([]chan *gocql.Iter, number)
	for i := range iterators {
		iterators[i] = make(chan *gocql.Iter, 1)
		query := p.session.Query(p.statements[name], i)
		go func() { iterators[i] <- query.Iter() }()
	}
	var all []string
	for _, iterator := range iterators {
		lines, _, err := p.rows(<-iterator)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}
