import type { RepoUrls } from '../../../core/access/repo-urls.ts'
import { presentPayloadCommit, commitUtcTime, presentVerification } from '../history/commit.present.ts'
import type { BranchRights } from './branches/branch-rights.ts'
import type { Branch, GitBlobResponse, GitTreeResponse, Reference, AnnotatedTag, Tag } from './refs.model.ts'
import type { BranchView } from './branches/branches.service.ts'
import { ZERO_TIME } from '../../../core/platform/clock.ts'
import type { AnnotatedTagView, BlobView, RefView, TreeView } from './git-data/git-data.service.ts'
import type { TagView } from './tags/tags.service.ts'

export function presentBranch(branch: BranchView, { rule, ...rights }: BranchRights, urls: RepoUrls): Branch {
  return {
    name: branch.name,
    commit: presentPayloadCommit(branch.tip, urls),
    protected: rule !== undefined,
    required_approvals: rule?.requiredApprovals ?? 0,
    enable_status_check: rule?.enableStatusCheck ?? false,
    status_check_contexts: [...(rule?.statusCheckContexts ?? [])],
    user_can_push: rights.canPush,
    user_can_merge: rights.canMerge,
    effective_branch_protection_name: rights.seesRules ? (rule?.name ?? '') : '',
  }
}

export function presentReference({ name, oid, type }: RefView, urls: RepoUrls): Reference {
  return {
    ref: name,
    url: `${urls.api}/git/${name}`,
    object: { type, sha: oid, url: `${urls.api}/git/${type}s/${oid}` },
  }
}

export function presentTree(tree: TreeView, urls: RepoUrls): GitTreeResponse {
  const address = (type: string, oid: string): string => (type === 'commit' ? '' : `${urls.api}/git/${type}s/${oid}`)
  return {
    sha: tree.oid,
    url: `${urls.api}/git/trees/${tree.oid}`,
    tree: tree.items.map(({ path, mode, type, size, oid }) => ({
      path,
      mode,
      type,
      size,
      sha: oid,
      url: address(type, oid),
    })),
    truncated: tree.hasMore,
    page: tree.page,
    total_count: tree.total,
  }
}

export function presentBlob({ oid, size, content, lfs }: BlobView, urls: RepoUrls): GitBlobResponse {
  return {
    content: content?.toString('base64') ?? null,
    encoding: content ? 'base64' : null,
    url: `${urls.api}/git/blobs/${oid}`,
    sha: oid,
    size,
    ...(lfs && { lfs_oid: lfs.oid, lfs_size: lfs.size }),
  }
}

export function presentAnnotatedTag({ tag, verification, downloads }: AnnotatedTagView, urls: RepoUrls): AnnotatedTag {
  const { tagger } = tag
  return {
    tag: tag.name,
    sha: tag.oid,
    url: `${urls.api}/git/tags/${tag.oid}`,
    message: tag.message,
    tagger: { name: tagger?.name ?? '', email: tagger?.email ?? '', date: tagger ? commitUtcTime(tagger) : ZERO_TIME },
    object: { type: tag.type, url: `${urls.api}/git/${tag.type}s/${tag.object}`, sha: tag.object },
    verification: presentVerification(verification),
    archive_download_count: { zip: downloads.zip, tar_gz: downloads.tarGz },
  }
}

export function presentTag({ name, oid, commit, message, madeBy, downloads }: TagView, urls: RepoUrls): Tag {
  const archive = `${urls.html}/archive/${encodeURIComponent(name)}`
  return {
    name,
    message,
    id: oid,
    // COMPAT: the URL contains the tag's own id, even if that is a tag object (behaviour/git-data-and-transport#tags;
    // test/code/tags.test.ts).
    commit: { url: `${urls.api}/git/commits/${oid}`, sha: commit, created: commitUtcTime(madeBy) },
    zipball_url: `${archive}.zip`,
    tarball_url: `${archive}.tar.gz`,
    archive_download_count: { zip: downloads.zip, tar_gz: downloads.tarGz },
  }
}
