import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { retryOnUniqueViolation } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { readSshKey, keyQueries } from '../../../accounts/index.ts'
import type { Repo } from '../../repos/repo.store.ts'
import {
  deleteDeployKey,
  type DeployKey,
  type DeployKeyFilter,
  findDeployKey,
  findDeployKeyClash,
  insertDeployKey,
  listDeployKeys,
} from './deploy-key.store.ts'

interface NewDeployKey {
  readonly title: string
  readonly key: string
  /** If false, the key may push. */
  readonly isReadOnly: boolean
}

interface DeployKeyDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly rules: Parameters<typeof readSshKey>[1]
}

export type DeployKeys = ReturnType<typeof createDeployKeys>

/** SSH keys that authenticate for one repository (behaviour/repositories#deploy-keys-git-hooks-avatar-signing-key). */
export function createDeployKeys({ database, clock, events, rules }: DeployKeyDeps) {
  return {
    /** Deploy keys ordered by id. */
    list: (repo: Repo, filter: DeployKeyFilter, paging: Paging): Promise<Page<DeployKey>> =>
      listDeployKeys(database.read, repo.id, filter, paging),

    /** Throws NotFound. */
    async get(repo: Repo, id: number): Promise<DeployKey> {
      const key = await findDeployKey(database.read, repo.id, id)
      if (key === undefined) throw errors.deployKeyNotFound()
      return key
    },

    /**
     * Throws Invalid if the key is unreadable, too short or in use by a user, or if the repository has the title or key
     * already.
     */
    async add(actor: SignedIn, repo: Repo, { title, key: text, isReadOnly }: NewDeployKey): Promise<DeployKey> {
      const key = readSshKey(text, rules)
      return retryOnUniqueViolation(database, async (tx) => {
        const keyId = await keyQueries.claim(tx, key, 'deploy')
        if (keyId === undefined) throw errors.publicKeyTaken()
        const clash = await findDeployKeyClash(tx, repo.id, { keyId, title })
        if (clash !== undefined)
          throw invalid(
            clash === 'key'
              ? 'This key has already been added to this repository'
              : 'A key with the same name already exists',
          )
        const at = clock.now()
        const id = await insertDeployKey(tx, {
          key_id: keyId,
          repo_id: repo.id,
          title,
          comment: key.comment,
          is_read_only: flag(isReadOnly),
          created_at: at,
        })
        await events.append(
          tx,
          'repo.key_added',
          { actor, repoId: repo.id, at },
          { repo_id: repo.id, key_id: id, fingerprint: key.fingerprint },
        )
        return (await findDeployKey(tx, repo.id, id))!
      })
    },

    /** Does nothing if there is no key with that id. */
    async delete(actor: SignedIn, repo: Repo, id: number): Promise<void> {
      await database.transaction(async (tx) => {
        const key = await findDeployKey(tx, repo.id, id)
        if (key === undefined) return
        await deleteDeployKey(tx, key)
        await events.append(
          tx,
          'repo.key_deleted',
          { actor, repoId: repo.id, at: clock.now() },
          { repo_id: repo.id, key_id: id, fingerprint: key.fingerprint },
        )
      })
    },
  }
}
