import { expect, it } from 'vitest'
import { createLanguageCounter } from './classify.ts'
import { loadLanguageRules } from './rules.ts'

const rules = loadLanguageRules()

function count(files: Readonly<Record<string, string>>, attributes = ''): Record<string, number> {
  const counter = createLanguageCounter(rules, attributes === '' ? [] : [{ directory: '', text: attributes }])
  const list = Object.keys(files).map((path) => ({ path, size: 10 }))
  for (const index of counter.addByName(list)) counter.addWithContent(list[index]!, files[list[index]!.path]!)
  return counter.result()
}

it('distinguishes languages with the same extension by content', () => {
  expect(
    count({
      'a.h': '#include <stdio.h>\nint a;',
      'b.h': 'template <class T>\nclass A {};',
      'c.m': '#import <A.h>\n@interface X',
    }),
  ).toEqual({ C: 10, 'C++': 10, 'Objective-C': 10 })
  expect(
    count({
      'a.ts': 'const a = 1',
      'b.ts': '<?xml version="1.0"?>\n<TS version="2.1">',
      'a.pl': 'use strict;\nmy $a = 1;',
      'v.tsx': 'import React from "react"',
    }),
  ).toEqual({ TypeScript: 20, Perl: 10 })
})

it('classifies ambiguous files by the other files, then by the main extension', () => {
  expect(count({ 'a.rs': 'x!()', 'b.rs': 'fn main() {}', 'c.rs': '' })).toEqual({ Rust: 30 })
  expect(count({ 'a.php': '' })).toEqual({ PHP: 10 })
})

it('skips prose, data, vendored and generated files, unless attributes override that', () => {
  const files = {
    'README.md': '# hi',
    'a.json': '{}',
    'node_modules/a.js': 'x',
    'vendor/a.go': 'x',
    'a.min.js': 'x',
    'package-lock.json': '{}',
    LICENSE: 'x',
    run: '#!/bin/sh\n',
  }
  expect(count(files)).toEqual({ Shell: 10 })
  expect(count(files, 'node_modules/** -linguist-vendored\n*.md linguist-detectable\nrun linguist-generated')).toEqual({
    JavaScript: 10,
    Markdown: 10,
  })
  expect(count({ 'a.foo': '' }, '*.foo linguist-language=Visual-Basic-.NET')).toEqual({ 'Visual Basic .NET': 10 })
})
