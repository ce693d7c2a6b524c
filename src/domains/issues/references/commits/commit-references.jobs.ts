import { Type } from '@sinclair/typebox'
import { CredentialRestriction } from '../../../../core/access/authorize.ts'
import type { Subscriptions } from '../../../../core/events/index.ts'
import { isZeroOid } from '../../../../core/git/index.ts'
import { defineJob, type JobDefinitions, type JobPayloadsOf, type Jobs } from '../../../../core/jobs/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type CommitReferenceDeps, referFromPush } from './refer-from-push.ts'

const commitReferenceJobPayloads = {
  /** Reads the commit messages of a push to find references to issues. */
  'push.refer': Type.Object({
    repo_id: Type.Integer(),
    pusher_id: Type.Integer(),
    restriction: Type.Optional(CredentialRestriction),
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof commitReferenceJobPayloads> {}
}

export const commitReferenceJobs = (deps: CommitReferenceDeps): JobDefinitions => ({
  'push.refer': defineJob(
    commitReferenceJobPayloads['push.refer'],
    ({ repo_id, pusher_id, restriction, updates }, signal) =>
      referFromPush(deps, { repoId: asId(repo_id), pusherId: asId(pusher_id), restriction, updates }, signal),
  ),
})

/**
 * Handles pushes of accounts, and of deploy keys, which act for the owner within their repository; skips updates by
 * mirrors and repairs.
 */
export const commitReferenceSubscriptions = (jobs: Jobs): Subscriptions => ({
  async 'repo.pushed'(tx, { id, repoId, actorId, payload }) {
    if (actorId <= 0 || payload.is_mirror_sync === true) return
    const updates = payload.updates.filter(({ ref, new_oid }) => ref.startsWith('refs/heads/') && !isZeroOid(new_oid))
    if (updates.length === 0) return
    const { restriction } = payload
    const push = { repo_id: repoId, pusher_id: actorId, ...(restriction && { restriction }), updates }
    await jobs.enqueue(tx, 'push.refer', push, { key: String(id) })
  },
})
