import type { Source } from './check.ts'
import { domains, type ForeignReader, foreignReaders } from './rules.ts'

/** Statements of Kysely's builder and of SQL text that write rows of a table. */
const WRITES = [
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*'(?<table>\w+)/g,
  /\b(?:insert into|update|delete from)\s+"?(?<table>[a-z_]+)"?\s+(?:set|values|where|\(|select)/gi,
]
/** The same of statements that read them; comments are cut out before. */
const READS = [
  /\.(?:selectFrom|(?:inner|left|right|full|cross)Join|table)\(\s*\[?'(?<table>\w+)/g,
  /\b(?:from|join)\s+"?(?<table>[a-z_]+)"?(?![a-z_("'.-])/g,
]
const COMMENTS = /\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs
const TABLES = /interface Schema \{(?<tables>[^}]*)\}/g
const folderOf = (file: string): string => /^src\/(?:core|domains\/[^/]+)\/([^/]+)\//.exec(file)![1]!

/** -1 for the engines, which come before all domains. */
const rankOf = (file: string, order: readonly string[]): number =>
  order.indexOf(/^src\/domains\/([^/]+)\//.exec(file)?.[1] ?? '')

export interface TableWriters {
  readonly table: string
  /** The file that declares the table. */
  readonly declared: string
  /** The module or engine whose `*.table.ts` declares the table. */
  readonly owner: string
  /** The files that write rows of it. */
  readonly writers: readonly string[]
}

/** Who owns and who writes each table: a table is written by files of its owner's folder alone. */
export function tableWriters(sources: readonly Source[]): TableWriters[] {
  const owners = new Map<string, string>()
  for (const { file, text } of sources) {
    if (!file.endsWith('.table.ts')) continue
    const declared = [...text.matchAll(TABLES)].map(({ groups }) => groups!['tables']!).join('\n')
    for (const [, table] of declared.matchAll(/^\s*(?:readonly )?(\w+):/gm)) owners.set(table!, file)
  }
  const written = sources.map(({ file, text }) => ({ file, tables: tablesIn(text, WRITES) }))
  return [...owners].map(([table, declared]) => ({
    table,
    declared,
    owner: folderOf(declared),
    writers: written.filter(({ tables }) => tables.has(table)).map(({ file }) => file),
  }))
}

const tablesIn = (text: string, patterns: readonly RegExp[]): Set<string> =>
  new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(({ groups }) => groups!['table']!)))

/** Writes outside of the owner's folder, in words. */
export const foreignWrites = (tables: readonly TableWriters[]): string[] =>
  tables.flatMap(({ table, owner, writers }) =>
    writers.filter((file) => folderOf(file) !== owner).map((file) => `${file} writes ${table}, which ${owner} owns`),
  )

/** Reads of tables of later domains, in words; `exceptions` names files that may. */
export function laterReads(
  sources: readonly Source[],
  order: readonly string[] = domains,
  exceptions: Readonly<Record<string, ForeignReader>> = foreignReaders,
): string[] {
  const declared = new Map(tableWriters(sources).map((table) => [table.table, table.declared]))
  return sources.flatMap(({ file, text }) => {
    if (!/^src\/(?:core|domains)\//.test(file)) return []
    const read = tablesIn(text.replace(COMMENTS, ''), READS)
    const later = [...read].filter((table) => {
      const owner = declared.get(table)
      return owner !== undefined && rankOf(owner, order) > rankOf(file, order)
    })
    const allowed = exceptions[file]?.tables ?? []
    return [
      ...later
        .filter((table) => !allowed.includes(table))
        .map((table) => `${file} reads ${table} of ${declared.get(table)!}, a later domain`),
      ...allowed
        .filter((table) => !later.includes(table))
        .map((table) => `${file} does not read ${table}; remove the exception`),
    ]
  })
}
