import { escapePath, repoUrls } from '../../../core/access/repo-urls.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Repo } from '../../repositories/index.ts'
import type { Fragment } from './query/find-matches.ts'
import type { CodeSearchResult } from './search.model.ts'

interface MatchParts {
  readonly repo: Repo
  readonly branch: string
  readonly path: string
  readonly oid: string
  readonly language: string
  readonly fragments: readonly Fragment[]
}

export function presentCodeMatch(match: MatchParts, site: Site): CodeSearchResult {
  const { repo, branch, path, oid, language, fragments } = match
  return {
    repository: { id: repo.id, name: repo.name, owner: repo.owner.name, full_name: repo.fullName },
    branch,
    path,
    sha: oid,
    language,
    html_url: `${repoUrls(repo, site).html}/src/branch/${escapePath(branch)}/${escapePath(path)}`,
    fragments: fragments.map((fragment) => ({ ...fragment, matches: [...fragment.matches] })),
  }
}
