import type { Tx } from '../../../core/db/database.ts'
import type { AppendedEvent, EventKind } from '../../../core/events/index.ts'
import { insertEntry, findAccountName, findCredentialName, findRepoName, findTeamName } from './audit.store.ts'

export interface AuditTarget {
  readonly kind: 'user' | 'organization' | 'team' | 'repository' | 'site'
  readonly id: number
  readonly name: string
}

export const SITE: AuditTarget = { kind: 'site', id: 0, name: '' }

/** The content of an audit entry for an event. */
export interface AuditFact {
  readonly action: string
  /** The default is `succeeded`. */
  readonly outcome?: 'failed'
  readonly target: AuditTarget
  /** Must not contain secrets, or addresses that may contain secrets. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>
}

type Describe<Kind extends EventKind> = (
  tx: Tx,
  event: AppendedEvent<Kind>,
) => Promise<AuditFact | readonly AuditFact[]>

/** A projection that records the result of `describe`. */
export const recorded =
  <Kind extends EventKind>(describe: Describe<Kind>) =>
  async (tx: Tx, event: AppendedEvent<Kind>): Promise<void> => {
    for (const fact of [await describe(tx, event)].flat()) await writeFact(tx, event, fact)
  }

const MAX_NAME = 255
const MAX_DETAIL = 255
const MAX_LISTED = 20
const NO_SOURCE = { address: '', userAgent: '', credential: { kind: 'none', id: 0 }, sudoBy: undefined } as const

async function writeFact(
  tx: Tx,
  { at, principal: { account, source = NO_SOURCE } }: Pick<AppendedEvent, 'at' | 'principal'>,
  { action, outcome, target, details = {} }: AuditFact,
): Promise<void> {
  const { address, userAgent, credential, sudoBy } = source
  const actorName = (await findAccountName(tx, account.id))?.name ?? ''
  const targetName = target.name.slice(0, MAX_NAME)
  await insertEntry(tx, {
    created_at: at,
    action,
    outcome: outcome ?? 'succeeded',
    actor_id: account.id,
    actor_name: actorName,
    lower_actor_name: actorName.toLowerCase(),
    sudo_by_id: sudoBy?.id ?? 0,
    sudo_by_name: sudoBy?.name ?? '',
    credential: credential.kind,
    credential_id: credential.id,
    credential_name: await findCredentialName(tx, credential),
    address,
    user_agent: userAgent,
    target_kind: target.kind,
    target_id: target.id,
    target_name: targetName,
    lower_target_name: targetName.toLowerCase(),
    details: JSON.stringify(details, (_, value: unknown) => bounded(value)),
  })
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_DETAIL)
  return Array.isArray(value) ? value.slice(0, MAX_LISTED) : value
}

/** An account by its id; `name` is used if it is already deleted. */
export async function accountTarget(tx: Tx, id: number, name = ''): Promise<AuditTarget> {
  const found = await findAccountName(tx, id)
  return { kind: found?.kind ?? 'user', id, name: found?.name ?? name }
}

/** The name is `owner/name`. */
export async function repoTarget(tx: Tx, id: number): Promise<AuditTarget> {
  return { kind: 'repository', id, name: (await findRepoName(tx, id))?.name ?? '' }
}

/** The name is `organization/team`; `name` is that of the team if the caller knows it. */
export async function teamTarget(
  tx: Tx,
  { org_id: orgId, team_id: id, name }: { readonly org_id: number; readonly team_id: number; readonly name?: string },
): Promise<AuditTarget> {
  const org = await findAccountName(tx, orgId)
  return { kind: 'team', id, name: `${org?.name ?? ''}/${name ?? (await findTeamName(tx, id)) ?? ''}` }
}
