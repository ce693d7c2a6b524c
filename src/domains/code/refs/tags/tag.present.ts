import type { RepoUrls } from '../../../../core/access/repo-urls.ts'
import { commitUtcTime } from '../../history/commit.present.ts'
import type { Tag } from './tag.model.ts'
import type { TagView } from './tags.service.ts'

export function presentTag({ name, oid, commit, message, madeBy, downloads }: TagView, urls: RepoUrls): Tag {
  const archive = `${urls.html}/archive/${encodeURIComponent(name)}`
  return {
    name,
    message,
    id: oid,
    // COMPAT: the address has the tag's own id, also when that is a tag object (behaviour/git-data-and-transport#tags;
    // test/code/tags.test.ts).
    commit: { url: `${urls.api}/git/commits/${oid}`, sha: commit, created: commitUtcTime(madeBy) },
    zipball_url: `${archive}.zip`,
    tarball_url: `${archive}.tar.gz`,
    archive_download_count: { zip: downloads.zip, tar_gz: downloads.tarGz },
  }
}
