import { listOf, members, textOf, timeOf } from '../../../../core/platform/json-members.ts'
import type { SourceAsset, SourceLabel, SourceRelease } from '../forge-api.ts'

/** Reads a label of any service; members that a service lacks are empty or false. */
export function readLabel(value: unknown): SourceLabel {
  const label = members(value)
  return {
    name: textOf(label['name']),
    color: textOf(label['color']),
    description: textOf(label['description']),
    isExclusive: label['exclusive'] === true,
    isArchived: label['is_archived'] === true,
  }
}

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
