import { wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Repo } from '../../repos/repo.store.ts'
import type { Repository } from '../../repos/repos.model.ts'
import type { DeployKey as DeployKeyModel } from '../collaborator.model.ts'
import type { DeployKey } from './deploy-key.store.ts'

export function presentDeployKey(
  key: DeployKey,
  repo: Repo,
  repository: Repository | undefined,
  site: Site,
): DeployKeyModel {
  return {
    id: key.id,
    key_id: key.keyId,
    key: `${key.algorithm} ${key.blob}${key.comment === '' ? '' : ` ${key.comment}`}`,
    url: `${repoUrls(repo, site).api}/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    read_only: key.isReadOnly,
    ...(repository ? { repository } : {}),
  }
}
