import type { Source } from './check.ts'

/** Statements of Kysely's builder and of SQL text that write rows of a table. */
const WRITES = [
  /\.(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*'(?<table>\w+)/g,
  /\b(?:insert into|update|delete from)\s+"?(?<table>[a-z_]+)"?\s+(?:set|values|where|\(|select)/gi,
]
const TABLES = /interface Schema \{(?<tables>[^}]*)\}/
const folderOf = (file: string): string => /^src\/(?:core|domains\/[^/]+)\/([^/]+)\//.exec(file)![1]!

export interface TableWriters {
  readonly table: string
  /** The module or engine whose `*.table.ts` declares the table. */
  readonly owner: string
  /** The files that write rows of it. */
  readonly writers: readonly string[]
}

/** Who owns and who writes each table: a table is written by files of its owner's folder alone. */
export function tableWriters(sources: readonly Source[]): TableWriters[] {
  const owners = new Map<string, string>()
  for (const { file, text } of sources) {
    const declared = file.endsWith('.table.ts') ? TABLES.exec(text)?.groups?.['tables'] : undefined
    for (const [, table] of (declared ?? '').matchAll(/^\s*(?:readonly )?(\w+):/gm)) owners.set(table!, folderOf(file))
  }
  return [...owners].map(([table, owner]) => {
    const writes = ({ text }: Source): boolean =>
      WRITES.some((pattern) => [...text.matchAll(pattern)].some(({ groups }) => groups!['table'] === table))
    return { table, owner, writers: sources.filter(writes).map(({ file }) => file) }
  })
}

/** Writes outside of the owner's folder, in words. */
export const foreignWrites = (tables: readonly TableWriters[]): string[] =>
  tables.flatMap(({ table, owner, writers }) =>
    writers.filter((file) => folderOf(file) !== owner).map((file) => `${file} writes ${table}, which ${owner} owns`),
  )
