// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

// The Go driver for the node tests: answers the requests of ProgramSession, which come on standard input.
//
// A request is a line of words with tabs between; an answer is a line with the number of its lines, and the lines.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

const longestRequestBytes = 1 << 20

var (
	escape   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")
)

func main() {
	requests := bufio.NewScanner(os.Stdin)
	requests.Buffer(nil, longestRequestBytes)
	answers := bufio.NewWriter(os.Stdout)
	program := &program{statements: map[string]string{}}
	for requests.Scan() {
		words := strings.Split(requests.Text(), "\t")
		for i, word := range words {
			words[i] = unescape.Replace(word)
		}
		lines := program.answer(words[0], words[1:])
		fmt.Fprintln(answers, len(lines))
		for _, line := range lines {
			fmt.Fprintln(answers, escape.Replace(line))
		}
		if err := answers.Flush(); err != nil {
			os.Exit(1)
		}
	}
	if err := requests.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
