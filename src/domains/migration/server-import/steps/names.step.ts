import { conflict, invalid } from '../../../../core/platform/errors.ts'
import { lineOf, countOf } from '../../imports/sources/read.ts'
import { part, type ServerContext, type ServerStep, sourceItems } from '../server-context.ts'

const KINDS = { account: '/admin/users', organization: '/admin/orgs' } as const

interface Named {
  readonly kind: keyof typeof KINDS
  readonly source_id: string
  readonly login: string
  readonly target: string
  /** An earlier run has reserved the name. */
  readonly isKnown: boolean
}

/** Reserves the names of accounts and organizations; stops before anything is written if one is taken. */
export const namesStep: ServerStep = {
  name: 'names',
  async run(context) {
    const { journal, names, report, isDryRun } = context
    const fresh: Named[] = []
    for await (const named of readNames(context)) {
      names.imported.set(named.login.toLowerCase(), named.target)
      if (named.kind === 'account') names.accounts.set(named.login.toLowerCase(), named.target)
      if (!named.isKnown) fresh.push(named)
    }
    const taken: string[] = []
    for (const { login, target } of fresh) if (await isTaken(context, target)) taken.push(login)
    if (taken.length > 0 && !isDryRun)
      throw conflict(
        `names are taken on this server: ${taken.join(', ')}. Give each another name with --rename OLD=NEW`,
      )
    for (const name of taken) report.omit(`the name ${name} is taken on this server: --rename ${name}=NEW`)
    if (isDryRun) return
    for (const { kind, source_id, target } of fresh) await journal.put({ kind, source_id, target, state: 'begun' })
  },
}

/** Throws Invalid if two of them would have one name. */
async function* readNames(context: ServerContext): AsyncGenerator<Named> {
  const chosen = new Set<string>()
  for (const kind of ['account', 'organization'] as const) {
    const known = new Map((await context.journal.list(kind)).map(({ source_id, target }) => [source_id, target]))
    const seen = new Set<string>()
    for await (const value of sourceItems(context, KINDS[kind])) {
      const login = lineOf(value['login'] ?? value['username'] ?? value['name'])
      const source_id = String(countOf(value['id']))
      if (login === '' || source_id === '0') continue
      const target = known.get(source_id) ?? context.names.given.get(login.toLowerCase()) ?? login
      if (chosen.has(target.toLowerCase())) throw invalid(`two accounts would be named ${target}`)
      chosen.add(target.toLowerCase())
      seen.add(source_id)
      yield { kind, source_id, login, target, isKnown: known.has(source_id) }
    }
    // NOTE: a token that may not list accounts sees none.
    if (seen.size > 0)
      reportMissing(
        context,
        kind,
        [...known].filter(([id]) => !seen.has(id)),
      )
  }
}

function reportMissing(
  { names, report }: ServerContext,
  kind: Named['kind'],
  missing: readonly (readonly [id: string, name: string])[],
): void {
  for (const [id, name] of missing) {
    report.omit(`${kind} ${name}: it is not at the other server any more; it stays on this server`)
    if (kind === 'account') names.missing.push({ id: Number(id), name })
  }
}

const isTaken = async ({ target }: ServerContext, name: string): Promise<boolean> =>
  (await target.find(`/users/${part(name)}`)) !== undefined || (await target.find(`/orgs/${part(name)}`)) !== undefined
