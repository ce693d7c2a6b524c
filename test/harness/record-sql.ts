import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { DefaultQueryCompiler, PostgresQueryCompiler, type RootOperationNode } from 'kysely'

/**
 * Records which SQL each function of a store sends to SQLite, when `INGOT_RECORD_SQL` names a directory: one line of
 * JSON for each new statement. `scripts/store-sql.ts` compares what a whole test run recorded with the committed files.
 */
const directory = process.env['INGOT_RECORD_SQL']
const STORE =
  /at (?:async )?(?:\w+\.)?(?<name>[\w$]+) (?:\[as \w+\] )?\((?:file:\/\/)?[^)]*\/src\/(?<file>[^):]*\.store\.ts|access\/[^):]*\.ts):/

/** Lists of placeholders of any length are one; so are literal limits. */
export const normaliseSql = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('+?', '?')
    .replaceAll(/\(\?(?:, \?)+\)/g, '(?, ...)')
    .replaceAll(/\(\?\)(?=\s|$|\))/g, '(?, ...)')
    .replaceAll(/(\((?:[^()]*\?[^()]*)\))(?:, \((?:[^()]*\?[^()]*)\))+/g, '$1, ...')
    .replaceAll(/\b(select cast(?:(?! union all ).)+)(?: union all \1)+/g, '$1 union all ...')
    .replaceAll(/\b(limit|offset) \d+/g, '$1 N')
    .trim()

interface Compiler {
  compileQuery(node: RootOperationNode, id: unknown): { readonly sql: string }
}

/** Senders of one statement that are looked up: a stack trace takes longer than the statement. */
const MAX_SENDERS = 5

export function recordSql(to: string): void {
  const lookUps = new Map<string, number>()
  const seen = new Set<string>()
  const prototype = DefaultQueryCompiler.prototype as unknown as Compiler
  const compile = prototype.compileQuery
  prototype.compileQuery = function (this: Compiler, node, id) {
    const compiled = compile.call(this, node, id)
    const known = lookUps.get(compiled.sql) ?? 0
    if (known === MAX_SENDERS || this instanceof PostgresQueryCompiler) return compiled
    lookUps.set(compiled.sql, known + 1)
    const stack = new Error('where').stack ?? ''
    // Which tables it finds rows in depends on the rows.
    if (stack.includes('/src/core/db/delete-in-steps.ts')) return compiled
    const found = STORE.exec(stack)?.groups
    const line = found && JSON.stringify({ file: found['file'], name: found['name'], sql: normaliseSql(compiled.sql) })
    if (line !== undefined && !seen.has(line)) {
      seen.add(line)
      appendFileSync(join(to, `${process.pid}.jsonl`), `${line}\n`)
    }
    return compiled
  }
}

const marker = globalThis as { ingotRecordsSql?: boolean }
if (directory !== undefined && directory !== '' && marker.ingotRecordsSql !== true) {
  marker.ingotRecordsSql = true
  Error.stackTraceLimit = 40
  recordSql(directory)
}
