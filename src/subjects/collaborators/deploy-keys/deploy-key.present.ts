import { wireTime } from '../../../platform/clock.ts'
import type { Site } from '../../../platform/site.ts'
import { repoUrls } from '../../../access/repo-urls.ts'
import type { Repo, Repository } from '../../repos/index.ts'
import type { DeployKey as DeployKeyModel } from './deploy-key.model.ts'
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
