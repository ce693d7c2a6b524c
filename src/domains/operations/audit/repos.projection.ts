import { accessName, asAccessMode } from '../../../core/access/access-mode.ts'
import type { AppendedEvent, EventKind, Projections } from '../../../core/events/index.ts'
import { findAccountName, findRepoName } from './audit-names.store.ts'
import { accountTarget, type AuditFact, type AuditTarget, recorded, repoTarget, SITE } from './record.ts'

type Payload = { readonly repo_id: number }
type OfRepo = { [Kind in EventKind]: AppendedEvent<Kind>['payload'] extends Payload ? Kind : never }[EventKind]

/** An action on the repository of the payload. */
const onRepo = <Kind extends OfRepo>(
  action: string,
  detailsOf: (payload: AppendedEvent<Kind>['payload']) => AuditFact['details'] = () => ({}),
) =>
  recorded<Kind>(async (tx, { payload }) => ({
    action,
    target: await repoTarget(tx, (payload as Payload).repo_id),
    details: detailsOf(payload) ?? {},
  }))

type RuleKind = `${'branch' | 'tag'}_protection.${'created' | 'deleted' | 'edited'}`
const onRule = <Kind extends RuleKind>(action: string, protects: 'branch' | 'tag') =>
  onRepo<Kind>(action, (payload) => ({ protects, rule: (payload as { readonly name: string }).name }))

type HookKind = `hook.${'created' | 'deleted' | 'edited' | 'redelivered'}`
const onHook = <Kind extends HookKind>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const hook = payload as AppendedEvent<'hook.created'>['payload'] & { readonly uuid?: string }
    const target: AuditTarget =
      hook.repo_id > 0
        ? await repoTarget(tx, hook.repo_id)
        : hook.owner_id > 0
          ? await accountTarget(tx, hook.owner_id)
          : SITE
    return {
      action,
      target,
      details: {
        hook_id: hook.hook_id,
        type: hook.type,
        host: hook.host,
        active: hook.is_active,
        ...(hook.uuid !== undefined && { delivery: hook.uuid }),
      },
    }
  })

/** Repositories: who may reach them, and what protects or watches them. */
export const repoProjections: Projections = {
  'repo.edited': recorded(async (tx, { repoId, payload: { changed } }) => {
    const repo = await findRepoName(tx, repoId)
    const target: AuditTarget = { kind: 'repository', id: repoId, name: repo?.name ?? '' }
    const facts: AuditFact[] = []
    if (changed.includes('is_private'))
      facts.push({ action: 'repo.visibility-changed', target, details: { private: repo?.isPrivate ?? false } })
    if (changed.includes('is_archived'))
      facts.push({ action: repo?.isArchived === true ? 'repo.archived' : 'repo.unarchived', target })
    return facts
  }),
  'repo.renamed': onRepo<'repo.renamed'>('repo.renamed', ({ old_name }) => ({ old_name })),
  'repo.deleted': onRepo<'repo.deleted'>('repo.deleted'),
  'repo.transfer_started': recorded(async (tx, { payload: { repo_id: id, recipient_id: recipient } }) => ({
    action: 'repo.transfer-started',
    target: await repoTarget(tx, id),
    details: { recipient: (await findAccountName(tx, recipient))?.name ?? '' },
  })),
  'repo.transfer_rejected': onRepo<'repo.transfer_rejected'>('repo.transfer-rejected'),
  'repo.transferred': recorded(async (tx, { payload: { repo_id: id, old_owner_id: from } }) => ({
    action: 'repo.transferred',
    target: await repoTarget(tx, id),
    details: { old_owner: (await findAccountName(tx, from))?.name ?? '' },
  })),
  'repo.collaborator_added': recorded(async (tx, { payload: { repo_id: id, user_id: userId, mode } }) => ({
    action: 'collaborator.changed',
    target: await repoTarget(tx, id),
    details: {
      user: (await findAccountName(tx, userId))?.name ?? '',
      permission: accessName(asAccessMode(mode)),
    },
  })),
  'repo.collaborator_removed': recorded(async (tx, { payload: { repo_id: id, user_id: userId } }) => ({
    action: 'collaborator.removed',
    target: await repoTarget(tx, id),
    details: { user: (await findAccountName(tx, userId))?.name ?? '' },
  })),
  'repo.key_added': onRepo<'repo.key_added'>('deploy-key.added', ({ key_id, fingerprint }) => ({
    key_id,
    fingerprint,
  })),
  'repo.key_deleted': onRepo<'repo.key_deleted'>('deploy-key.deleted', ({ key_id, fingerprint }) => ({
    key_id,
    fingerprint,
  })),
  'branch_protection.created': onRule<'branch_protection.created'>('protection.created', 'branch'),
  'branch_protection.deleted': onRule<'branch_protection.deleted'>('protection.deleted', 'branch'),
  'branch_protection.edited': onRule<'branch_protection.edited'>('protection.changed', 'branch'),
  'branch_protection.reordered': onRepo<'branch_protection.reordered'>('protection.reordered', ({ names }) => ({
    protects: 'branch',
    rules: names,
  })),
  'tag_protection.created': onRule<'tag_protection.created'>('protection.created', 'tag'),
  'tag_protection.deleted': onRule<'tag_protection.deleted'>('protection.deleted', 'tag'),
  'tag_protection.edited': onRule<'tag_protection.edited'>('protection.changed', 'tag'),
  'hook.created': onHook<'hook.created'>('hook.created'),
  'hook.deleted': onHook<'hook.deleted'>('hook.deleted'),
  'hook.edited': onHook<'hook.edited'>('hook.changed'),
  'hook.redelivered': onHook<'hook.redelivered'>('hook.redelivered'),
  'hook.requeued': recorded(async (_, { payload: { uuid, count } }) => ({
    action: 'hook.requeued',
    target: SITE,
    details: { ...(uuid !== '' && { delivery: uuid }), count },
  })),
}
