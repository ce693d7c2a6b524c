import { describe, expect, it } from 'vitest'
import {
  cycles,
  readOrder,
  readSources,
  type Source,
  subjectGraph,
  violations,
} from '../../scripts/directions/check.ts'
import { processState } from '../../scripts/directions/rules.ts'
import { foreignWrites, tableWriters } from '../../scripts/directions/table-writers.ts'

const source = (file: string, names: readonly string[], text = ''): Source => ({
  file,
  text,
  imports: names.map((name) => ({ name, isType: false })),
})

describe('direction rules', () => {
  const sources = readSources()
  const order = readOrder()

  it('are followed by every import, types included', () => {
    expect(violations(sources, order)).toEqual([])
  })

  it('order all subjects, and let none use a later one', () => {
    const graph = subjectGraph(sources)
    expect([...graph.keys()].toSorted()).toEqual(order.toSorted())
    for (const [subject, uses] of graph) {
      for (const other of uses)
        expect(`${other} before ${subject}`).toBe(
          order.indexOf(other) < order.indexOf(subject) ? `${other} before ${subject}` : '',
        )
    }
  })

  it('name only files that exist as holders of process state', () => {
    expect(Object.keys(processState).filter((file) => !sources.some((known) => known.file === file))).toEqual([])
  })

  it.each<[string, Source]>([
    ['a layer above', source('src/platform/a.ts', ['../db/database.ts'])],
    ['a file in no layer', source('src/elsewhere/a.ts', [])],
    ['the inside of another subject', source('src/subjects/b/a.service.ts', ['../a/a.store.ts'])],
    ['a later subject', source('src/subjects/a/a.service.ts', ['../b/index.ts'])],
    ['a store in operations', source('src/subjects/a/a.operations.ts', ['./a.store.ts'])],
    ['a presenter in a service', source('src/subjects/a/a.service.ts', ['./a.present.ts'])],
    ['a library outside its folder', source('src/http/a.ts', ['kysely'])],
    ['a word outside its place', source('src/http/a.ts', [], 'process.env')],
    ['state in a module', source('src/http/a.ts', [], 'const seen = new Map<string, string>()')],
  ])('refuse %s', (_, broken) => {
    expect(violations([broken], ['a', 'b'])).toHaveLength(1)
  })

  it('refuse a cycle', () => {
    expect(cycles([source('src/http/a.ts', ['./b.ts']), source('src/http/b.ts', ['./a.ts'])])).toHaveLength(1)
  })
})

describe('every table', () => {
  const tables = tableWriters(readSources())

  it('is written by its owner alone', () => {
    expect(tables.length).toBeGreaterThan(60)
    expect(foreignWrites(tables)).toEqual([])
  })

  it.each([
    `tx.insertInto('star')`,
    `tx.updateTable('star')`,
    'sql`delete from star where x`',
    'sql`update star set x`',
  ])('may not be written by others: %s', (text) => {
    const table = source('src/subjects/social/star.table.ts', [], 'interface Schema {\n  star: StarTable\n}')
    expect(foreignWrites(tableWriters([table, source('src/subjects/users/a.store.ts', [], text)]))).toHaveLength(1)
  })
})
