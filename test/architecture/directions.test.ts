import { describe, expect, it } from 'vitest'
import { cycles, domainGraph, readSources, type Source, violations } from '../../scripts/directions/check.ts'
import { domains, processState } from '../../scripts/directions/rules.ts'
import { foreignWrites, laterReads, tableWriters } from '../../scripts/directions/table-writers.ts'

const source = (file: string, names: readonly string[], text = ''): Source => ({
  file,
  text,
  imports: names.map((name) => ({ name, isType: false })),
})

describe('direction rules', () => {
  const sources = readSources()

  it('are followed by every import, types included', () => {
    expect(violations(sources)).toEqual([])
  })

  it('order all domains, and allow imports of earlier domains only', () => {
    const graph = domainGraph(sources)
    expect([...graph.keys()].toSorted()).toEqual(domains.toSorted())
    for (const [domain, uses] of graph)
      expect([...uses].filter((other) => domains.indexOf(other) > domains.indexOf(domain))).toEqual([])
  })

  it('name only files that exist as holders of process state', () => {
    expect(Object.keys(processState).filter((file) => !sources.some((known) => known.file === file))).toEqual([])
  })

  it.each<[string, Source]>([
    ['a layer above', source('src/core/platform/a.ts', ['../db/database.ts'])],
    ['a file in no layer', source('src/elsewhere/a.ts', [])],
    ['the inside of another domain', source('src/domains/b/m/a.service.ts', ['../../a/m/a.store.ts'])],
    ['a later domain', source('src/domains/a/m/a.service.ts', ['../../b/index.ts'])],
    ['a store in operations', source('src/domains/a/m/a.operations.ts', ['./a.store.ts'])],
    ['a presenter in a service', source('src/domains/a/m/a.service.ts', ['./a.present.ts'])],
    ['a library outside its folder', source('src/core/http/a.ts', ['kysely'])],
    ['a word outside its place', source('src/core/http/a.ts', [], 'process.env')],
    [
      'a query inside of a function',
      source('src/core/db/a.ts', [], 'const f = () => {\n  const q = defineQuery((db) => db)\n}'),
    ],
    ['a query that no name holds', source('src/core/db/a.ts', [], 'export const f = (id) => defineQuery((db) => db)')],
    ['state in a module', source('src/core/http/a.ts', [], 'const seen = new Map<string, string>()')],
    [
      'a store function in a door',
      source('src/domains/a/index.ts', [], "export { type A, findA } from './m/a.store.ts'\n"),
    ],
    [
      'a door of more than 40 names',
      source(
        'src/domains/a/index.ts',
        [],
        `export { ${Array.from({ length: 41 }, (_, i) => `a${i}`).join(', ')} } from './m/a.ts'\n`,
      ),
    ],
    ['a cache in a module', source('src/core/http/a.ts', [], 'const seen = new LRUCache<string, string>({ max: 9 })')],
  ])('refuse %s', (_, broken) => {
    expect(violations([broken], ['a', 'b'])).toHaveLength(1)
  })

  it('refuse a cycle', () => {
    expect(cycles([source('src/core/http/a.ts', ['./b.ts']), source('src/core/http/b.ts', ['./a.ts'])])).toHaveLength(1)
  })
})

describe('every table', () => {
  const tables = tableWriters(readSources())

  it('is written only by its owner', () => {
    expect(tables.length).toBeGreaterThan(100)
    expect(foreignWrites(tables)).toEqual([])
  })

  it('is read only by its own and later domains', () => {
    expect(laterReads(readSources())).toEqual([])
  })

  it.each([
    `db.selectFrom('star')`,
    `query.leftJoin('star as mine', 'mine.id', 'repo.id')`,
    'eb.exists(eb.selectFrom("x"), sql`select 1 from star where x`)',
    "sql`${sql.table('star')}`",
    'sql`repo cross join star where x`',
  ])('may not be read by earlier domains: %s', (text) => {
    const declaration = 'interface Schema {\n  repo: RepoTable\n}\ninterface Schema {\n  star: StarTable\n}'
    const table = source('src/domains/b/m/star.table.ts', [], declaration)
    const reads = (domain: string, exceptions = {}) =>
      laterReads([table, source(`src/domains/${domain}/m/a.store.ts`, [], text)], ['a', 'b', 'c'], exceptions)
    expect(reads('a')).toEqual([
      'src/domains/a/m/a.store.ts reads star of src/domains/b/m/star.table.ts, a later domain',
    ])
    expect(reads('a', { 'src/domains/a/m/a.store.ts': { tables: ['star'], because: 'a reason' } })).toEqual([])
    expect([...reads('b'), ...reads('c')]).toEqual([])
    expect(reads('c', { 'src/domains/c/m/a.store.ts': { tables: ['star'], because: 'a reason' } })).toHaveLength(1)
  })

  it.each([
    `tx.insertInto('star')`,
    `tx.updateTable('star')`,
    'sql`delete from star where x`',
    'sql`update star set x`',
  ])('may not be written by others: %s', (text) => {
    const table = source(
      'src/domains/repositories/social/star.table.ts',
      [],
      'interface Schema {\n  star: StarTable\n}',
    )
    expect(
      foreignWrites(tableWriters([table, source('src/domains/accounts/users/a.store.ts', [], text)])),
    ).toHaveLength(1)
  })
})
