import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import { accountTarget, recorded, repoTarget, SITE } from './record.ts'

const onBadges = <Kind extends 'admin.badges_given' | 'admin.badges_taken'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, slugs } = payload as AppendedEvent<'admin.badges_given'>['payload']
    return { action, target: await accountTarget(tx, id), details: { badges: slugs } }
  })

/** What only site administrators do. */
export const adminProjections: Projections = {
  'admin.badge_created': recorded(async (_, { payload: { slug } }) => ({
    action: 'admin.badge-created',
    target: SITE,
    details: { badge: slug },
  })),
  'admin.badge_deleted': recorded(async (_, { payload: { slug } }) => ({
    action: 'admin.badge-deleted',
    target: SITE,
    details: { badge: slug },
  })),
  'admin.badges_given': onBadges<'admin.badges_given'>('admin.badges-given'),
  'admin.badges_taken': onBadges<'admin.badges_taken'>('admin.badges-taken'),
  'admin.key_rotated': recorded(async (_, { payload: { key_id } }) => ({
    action: 'admin.key-rotated',
    target: SITE,
    details: { key_id },
  })),
  'admin.repo_adopted': recorded(async (tx, { payload: { repo_id: id } }) => ({
    action: 'admin.repository-adopted',
    target: await repoTarget(tx, id),
  })),
  'admin.task_run': recorded(async (_, { payload: { task } }) => ({
    action: 'admin.task-run',
    target: SITE,
    details: { task },
  })),
  'admin.unadopted_deleted': recorded(async (tx, { payload: { owner_id: ownerId, name } }) => ({
    action: 'admin.unadopted-deleted',
    target: await accountTarget(tx, ownerId),
    details: { name },
  })),
}
