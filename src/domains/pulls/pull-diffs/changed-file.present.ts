import { escapePath, type RepoUrls } from '../../../core/access/repo-urls.ts'
import type { ChangedFile as File } from '../../../core/git/index.ts'
import type { ChangedFile } from './changed-file.model.ts'

/** A file of the head commit, with addresses in the base repository. */
export function presentChangedFile(file: File, urls: RepoUrls, head: string): ChangedFile {
  const { path, previousPath, status, additions, deletions } = file
  const escaped = escapePath(path)
  return {
    filename: path,
    ...(status === 'renamed' && previousPath !== undefined && { previous_filename: previousPath }),
    status,
    additions,
    deletions,
    changes: additions + deletions,
    html_url: `${urls.html}/src/commit/${head}/${escaped}`,
    contents_url: `${urls.api}/contents/${escaped}?ref=${head}`,
    raw_url: `${urls.html}/raw/commit/${head}/${escaped}`,
  }
}
