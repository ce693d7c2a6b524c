import { presentAuditEntry } from '../domains/operations/index.ts'
import { type CommandInput, text, UsageError } from './command.ts'
import { withCore } from './with-core.ts'

/** Prints entries of the audit log as JSON, one a line, oldest first. */
export async function printAudit({ values, config, print }: CommandInput): Promise<number> {
  const filter = {
    actor: text(values, 'actor'),
    action: text(values, 'action'),
    target: text(values, 'target'),
    since: readTime(values, 'since'),
    before: readTime(values, 'before'),
  }
  await withCore(config(), async ({ auditLog }) => {
    for await (const entry of auditLog.each(filter)) print(JSON.stringify(presentAuditEntry(entry)))
  })
  return 0
}

function readTime(values: CommandInput['values'], name: string): number | undefined {
  const given = text(values, name)
  if (given === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time)) throw new UsageError(`--${name} is ${given}; allowed: a date or a time in RFC 3339`)
  return time
}
