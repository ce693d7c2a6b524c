import { compareTexts } from '../../../core/platform/compare-texts.ts'
import type { Members } from '../../../core/platform/json-members.ts'
import { lineOf, membersOf } from '../imports/sources/read.ts'
import { digest, part, send, type ServerContext } from './server-context.ts'

interface RuleKind {
  /** Kind of the entries in the journal. */
  readonly kind: string
  /** The object in reports. */
  readonly what: string
  readonly list: string
  readonly key: 'name_pattern' | 'rule_name'
  /** The member that identifies a rule in its path. */
  readonly id: 'id' | 'rule_name'
}

export const RULE_KINDS: readonly RuleKind[] = [
  {
    kind: 'branch-protections',
    what: 'protection of branches',
    list: 'branch_protections',
    key: 'rule_name',
    id: 'rule_name',
  },
  {
    kind: 'tag-protections',
    what: 'protection of tags',
    list: 'tag_protections',
    key: 'name_pattern',
    id: 'id',
  },
]

/** Members that differ on each server, and the former name of `rule_name`. */
const OWN: ReadonlySet<string> = new Set(['branch_name', 'created_at', 'id', 'updated_at'])

/** The settings of a rule with lists in order, and of the other server with the names of accounts on this one. */
export const readRule = (value: Members, accounts?: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([name, setting]) => !OWN.has(name) && setting !== null)
      .map(([name, setting]) => {
        if (!Array.isArray(setting)) return [name, setting]
        const items = setting.map(lineOf)
        const isMapped = accounts !== undefined && /_usernames?$/.test(name)
        return [name, (isMapped ? items.flatMap((item) => accounts.get(item.toLowerCase()) ?? []) : items).toSorted()]
      })
      .toSorted(([one], [other]) => compareTexts(one as string, other as string)),
  )

/** Whether a rule has the settings of the other server, as far as both servers know them. */
export const isSameRule = (theirs: Members, ours: Members): boolean =>
  Object.entries(theirs).every(([name, value]) => !(name in ours) || digest(value) === digest(ours[name]))

interface Rules {
  /** `owner/name` on this server, for a path. */
  readonly path: string
  /** The repository at the other server. */
  readonly id: number
  readonly fullName: string
  /** The rules of the other server, as `readRule` returns them. */
  readonly theirs: readonly Members[]
}

/** Writes the rules of the other server, and deletes those that it had at an earlier run. */
export async function writeRules(
  context: ServerContext,
  { kind: kindOfRule, what: noun, list, key, id: idMember }: RuleKind,
  { path, id, fullName, theirs }: Rules,
): Promise<void> {
  const { journal, target, report } = context
  const kind = `${kindOfRule} ${id}`
  const at = `/repos/${path}/${list}`
  const answer = await target.send('GET', at)
  const ours = new Map(membersOf(answer.json).map((rule) => [lineOf(rule[key]), rule]))
  const idOf = (rule: Members): string => part(String(rule[idMember]))
  const names = new Set(theirs.map((rule) => lineOf(rule[key])))
  const whatOf = (name: string): string => `${noun} ${name} of ${fullName}`
  for (const body of theirs) {
    const name = lineOf(body[key])
    const own = ours.get(name)
    await journal.put({ kind, source_id: name, target: path, state: 'done' })
    const what = whatOf(name)
    if (own === undefined) await send(context, { method: 'POST', path: at, body, what })
    else if (!isSameRule(body, readRule(own)))
      await send(context, { method: 'PATCH', path: `${at}/${idOf(own)}`, body, what })
  }
  for (const { source_id: name } of await journal.list(kind)) {
    if (names.has(name)) continue
    const own = ours.get(name)
    const what = whatOf(name)
    if (own !== undefined) {
      if (!(await send(context, { method: 'DELETE', path: `${at}/${idOf(own)}`, what }))) continue
      report.deleted(what)
    }
    await journal.delete({ kind, source_id: name })
  }
}
