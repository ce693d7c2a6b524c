import type { DeployKey as DeployKeyModel } from '../contract/models/deploy-key.ts'
import type { Repository } from '../contract/models/repository.ts'
import type { DeployKey, Repo } from '../domain/repos/index.ts'
import { wireTime } from '../platform/clock.ts'
import { repoUrls } from './repo.present.ts'
import type { Site } from './site.ts'

export function presentDeployKey(key: DeployKey, repo: Repo, shown: Repository | undefined, site: Site): DeployKeyModel {
  return {
    id: key.id,
    key_id: key.keyId,
    key: `${key.algorithm} ${key.blob}${key.comment === '' ? '' : ` ${key.comment}`}`,
    url: `${repoUrls(repo, site).api}/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    read_only: key.isReadOnly,
    ...(shown ? { repository: shown } : {}),
  }
}
