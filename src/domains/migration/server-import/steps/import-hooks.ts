import { type Members, members } from '../../../../core/platform/json-members.ts'
import { isTrue, lineOf, linesOf, countOf } from '../../imports/sources/read.ts'
import type { JournalEntry } from '../journal.store.ts'
import { digest, send, type ServerContext } from '../server-context.ts'
import type { Place } from './place.ts'

export interface ReadHook {
  readonly id: string
  readonly body: ReturnType<typeof readHook>
}

/** A webhook that was deleted on this server is not created again, and an unchanged one is not written. */
export async function importHooks(context: ServerContext, place: Place, hooks: readonly ReadHook[]): Promise<void> {
  const { journal, report, target } = context
  const kind = `hook ${place.id}`
  const path = `${place.target}/hooks`
  const own = new Map((await target.list(path, place.as)).map((hook) => [String(countOf(hook['id'])), readHook(hook)]))
  const imported = new Map((await journal.list(kind)).map((entry) => [entry.source_id, entry]))
  const known = new Set([...imported.values()].map((entry) => entry.target))
  for (const { id, body } of hooks) {
    const fingerprint = digest(body)
    const entry = imported.get(id)
    const at = entry?.target ?? findSame(own, known, body)
    const what = `hook ${body.config.url} of ${place.name}`
    if (entry?.fingerprint === fingerprint || (at !== undefined && !own.has(at))) continue
    // The secret of a webhook that was entered here, and whether it is active, do not change.
    const { active, type, ...changed } = body
    const sent =
      at === undefined
        ? await target.send('POST', path, { ...changed, active, type }, place.as)
        : await target.send('PATCH', `${path}/${at}`, changed, place.as)
    if (sent.status >= 400) {
      report.omit(`${what}: ${sent.message}`)
      continue
    }
    const made = at ?? String(countOf(members(sent.json)['id']))
    known.add(made)
    await journal.put({ kind, source_id: id, target: made, fingerprint, state: 'done' })
  }
  for (const [source_id, entry] of imported)
    if (!hooks.some(({ id }) => id === source_id))
      await removeHook(context, place, { entry, found: own.get(entry.target) })
}

/** Names the hooks that this run or an earlier one has brought and nobody has activated. */
export async function reportInactive(
  { journal, report, target }: ServerContext,
  { id, name, target: path, as }: Place,
): Promise<void> {
  const imported = new Set((await journal.list(`hook ${id}`)).map((entry) => entry.target))
  if (imported.size === 0) return
  for (const hook of await target.list(`${path}/hooks`, as))
    if (imported.has(String(countOf(hook['id']))) && !isTrue(hook['active']))
      report.secret(`hook ${readHook(hook).config.url} of ${name}: it is inactive until its secret is entered`)
}

interface ImportedHook {
  readonly entry: JournalEntry
  /** The webhook on this server, unless it was deleted here too. */
  readonly found: ReadHook['body'] | undefined
}

async function removeHook(context: ServerContext, place: Place, { entry, found }: ImportedHook): Promise<void> {
  if (found !== undefined) {
    const what = `hook ${found.config.url} of ${place.name}`
    const path = `${place.target}/hooks/${entry.target}`
    if (!(await send(context, { method: 'DELETE', path, as: place.as, what }))) return
    context.report.deleted(what)
  }
  await context.journal.delete(entry)
}

/** The id of a webhook that a run created and was killed before it wrote the journal. */
const findSame = (
  own: ReadonlyMap<string, ReadHook['body']>,
  known: ReadonlySet<string>,
  body: ReadHook['body'],
): string | undefined =>
  [...own].find(([id, hook]) => !known.has(id) && JSON.stringify(keyOf(hook)) === JSON.stringify(keyOf(body)))?.[0]

export function readHook(hook: Members) {
  const config = members(hook['config'])
  return {
    type: lineOf(hook['type']),
    config: { url: lineOf(config['url']), content_type: lineOf(config['content_type']) || 'json' },
    events: linesOf(hook['events']).toSorted(),
    branch_filter: lineOf(hook['branch_filter']),
    authorization_header: lineOf(hook['authorization_header']),
    active: false,
  }
}

/** The members by which a webhook that is not in the journal is found. */
const keyOf = ({ type, config, events }: ReturnType<typeof readHook>) => [type, config.url, events]
