import { listOf, members, textOf, timeOf } from '../../../platform/json-members.ts'
import type { SourceAsset, SourceRelease } from '../source.ts'

/** Reads a release of GitHub or Gitea; their assets differ. */
export function readRelease(value: unknown, readAssets: (assets: readonly unknown[]) => SourceAsset[]): SourceRelease {
  const release = members(value)
  return {
    tag: textOf(release['tag_name']),
    target: textOf(release['target_commitish']),
    title: textOf(release['name']),
    body: textOf(release['body']),
    isDraft: release['draft'] === true,
    isPrerelease: release['prerelease'] === true,
    // At GitHub `created_at` is the time of the commit.
    createdAt: timeOf(release['published_at']) ?? timeOf(release['created_at']),
    assets: readAssets(listOf(release['assets'])),
  }
}
