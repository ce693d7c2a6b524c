import type { AppendedEvent, Projections } from '../../events/index.ts'
import { accountTarget, recorded, repoTarget } from './record.ts'

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

/** Secrets and variables of Actions, by name: values are never recorded. */
export const actionsProjections: Projections = {
  'secret.created': onNamed<'secret.created'>('secret.created'),
  'secret.deleted': onNamed<'secret.deleted'>('secret.deleted'),
  'secret.edited': onNamed<'secret.edited'>('secret.changed'),
  'variable.created': onNamed<'variable.created'>('variable.created'),
  'variable.deleted': onNamed<'variable.deleted'>('variable.deleted'),
  'variable.edited': onNamed<'variable.edited'>('variable.changed'),
}
