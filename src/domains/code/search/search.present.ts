import { escapePath, repoUrls } from '../../../core/access/repo-urls.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { CodeSearchResult } from './search.model.ts'
import type { CodeMatch } from './search.service.ts'

export function presentCodeMatch(match: CodeMatch, site: Site): CodeSearchResult {
  const { repo, branch, path, oid, language, fragments } = match
  return {
    repository: { id: repo.id, name: repo.name, owner: repo.owner, full_name: repo.fullName },
    branch,
    path,
    sha: oid,
    language,
    html_url: `${repoUrls(repo, site).html}/src/branch/${escapePath(branch)}/${escapePath(path)}`,
    fragments: fragments.map((fragment) => ({ ...fragment, matches: [...fragment.matches] })),
  }
}
