import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import type { Viewer } from '../../access/viewer.ts'
import { type Git, tagRef } from '../../git/index.ts'
import { invalid } from '../../platform/errors.ts'
import { type NewTagInput, ProtectedTagError, type Tags } from '../refs/tags.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'

/** The git tags that releases stand on. */
export interface ReleaseTags {
  exists(repo: Repo, name: string): Promise<boolean>
  /** Makes the tag as a push would: rules and events alike. */
  create(viewer: Viewer, target: RepoInView, tag: NewTagInput): Promise<void>
  /** ProtectedTagError when a rule keeps the viewer from deleting a tag of that name. */
  requireDeletable(viewer: Viewer, repo: Repo, name: string): Promise<void>
}

export function createReleaseTags({ git, tags }: { git: Git; tags: Tags }): ReleaseTags {
  return {
    exists: async (repo, name) => (await git.open(repo).refs.snapshot()).get(tagRef(name)) !== undefined,
    requireDeletable: (viewer, repo, name) => tags.requireDeletable(viewer, repo, name),
    async create(viewer, target, tag) {
      try {
        await tags.create(viewer, withTagRight(target), { ...tag, forRelease: true })
      } catch (error) {
        if (error instanceof ProtectedTagError) throw invalid(`release tag name is protected [tag_name: ${tag.name}]`)
        throw error
      }
    },
  }
}

/**
 * Who may write releases may make their tags, without the right to push code; and a mirror takes releases with theirs
 * (reference repositories §25).
 */
function withTagRight({ repo, access }: RepoInView): RepoInView {
  const code = Math.max(unitMode(access, 'repo.code'), AccessMode.write) as AccessMode
  return {
    repo: { ...repo, isMirror: false },
    access: { ...access, units: new Map(access.units).set('repo.code', code) },
  }
}
