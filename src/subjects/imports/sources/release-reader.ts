import { listOf, members, textOf, timeOf } from '../../../platform/json-members.ts'
import type { SourceAsset, SourceRelease } from '../source.ts'

/** A release as GitHub writes it, and Gitea after it; what their files look like differs. */
export function readRelease(value: unknown, readAssets: (assets: readonly unknown[]) => SourceAsset[]): SourceRelease {
  const release = members(value)
  return {
    tag: textOf(release['tag_name']),
    target: textOf(release['target_commitish']),
    title: textOf(release['name']),
    body: textOf(release['body']),
    isDraft: release['draft'] === true,
    isPrerelease: release['prerelease'] === true,
    // `created_at` is the time of the commit at GitHub.
    createdAt: timeOf(release['published_at']) ?? timeOf(release['created_at']),
    assets: readAssets(listOf(release['assets'])),
  }
}
