import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { accountTarget, type AuditTarget, recorded, repoTarget, SITE } from './record.ts'

type Kind = `${'secret' | 'variable'}.${'created' | 'deleted' | 'edited'}`

/** An action on the repository or the account whose secret or variable it is. */
const onNamed = <K extends Kind>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, owner_id, name } = payload as AppendedEvent<'secret.created'>['payload']
    const oldName = (payload as { readonly old_name?: string }).old_name ?? name
    return {
      action,
      target: repo_id > 0 ? await repoTarget(tx, repo_id) : await accountTarget(tx, owner_id),
      details: { name, ...(oldName !== name && { old_name: oldName }) },
    }
  })

type RunnerKind = `runner.${'deleted' | 'disabled' | 'enabled'}`

/** An action on the repository, the account or the site whose runner it is. */
const onRunner = <K extends RunnerKind>(action: string) =>
  recorded<K>(async (tx, { payload }) => {
    const { repo_id, owner_id, runner_id, name } = payload as AppendedEvent<'runner.deleted'>['payload']
    return { action, target: await placeTarget(tx, repo_id, owner_id), details: { runner_id, name } }
  })

async function placeTarget(tx: Tx, repoId: number, ownerId: number): Promise<AuditTarget> {
  if (repoId > 0) return repoTarget(tx, repoId)
  return ownerId > 0 ? accountTarget(tx, ownerId) : SITE
}

/** Packages, runners, and secrets and variables of Actions, by name: values are never recorded. */
export const actionsProjections: Projections = {
  'package.deleted': recorded(async (tx, { payload: { owner_id, type, name, version } }) => ({
    action: 'package.deleted',
    target: await accountTarget(tx, owner_id),
    details: { type, name, ...(version !== '' && { version }) },
  })),
  'runner.deleted': onRunner<'runner.deleted'>('runner.deleted'),
  'runner.disabled': onRunner<'runner.disabled'>('runner.disabled'),
  'runner.enabled': onRunner<'runner.enabled'>('runner.enabled'),
  'secret.created': onNamed<'secret.created'>('secret.created'),
  'secret.deleted': onNamed<'secret.deleted'>('secret.deleted'),
  'secret.edited': onNamed<'secret.edited'>('secret.changed'),
  'variable.created': onNamed<'variable.created'>('variable.created'),
  'variable.deleted': onNamed<'variable.deleted'>('variable.deleted'),
  'variable.edited': onNamed<'variable.edited'>('variable.changed'),
}
