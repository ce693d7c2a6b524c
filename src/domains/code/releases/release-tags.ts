import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { type Git, tagRef } from '../../../core/git/index.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { type NewTagInput, ProtectedTagError } from '../refs/tags/write-tag.ts'
import type { Tags } from '../refs/tags/tags.service.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'

interface ReleaseTagDeps {
  readonly git: Git
  readonly tags: Pick<Tags, 'create' | 'requireDeletable'>
}

export type ReleaseTags = ReturnType<typeof createReleaseTags>

/** The git tags of releases. */
export function createReleaseTags({ git, tags }: ReleaseTagDeps) {
  return {
    exists: async (repo: Repo, name: string): Promise<boolean> =>
      (await git.open(repo).refs.snapshot()).get(tagRef(name)) !== undefined,
    /** Throws ProtectedTagError if a tag protection forbids the viewer to delete the tag. */
    requireDeletable: (viewer: Viewer, repo: Repo, name: string): Promise<void> =>
      tags.requireDeletable(viewer, repo, name),
    /** Creates the tag with the rules and events of a push. Throws Invalid for a protected name. */
    async create(actor: SignedIn, target: RepoInView, tag: NewTagInput): Promise<void> {
      try {
        await tags.create(actor, withTagPermission(target), { ...tag, forRelease: true })
      } catch (error) {
        if (error instanceof ProtectedTagError) throw invalid(`release tag name is protected [tag_name: ${tag.name}]`)
        throw error
      }
    },
  }
}

/**
 * Users who may write releases may create their tags without write access to code, also in a mirror
 * (behaviour/repositories#archived-repositories-and-mirrors).
 */
function withTagPermission({ repo, access }: RepoInView): RepoInView {
  const code = Math.max(unitMode(access, 'repo.code'), AccessMode.write) as AccessMode
  return {
    repo: { ...repo, isMirror: false },
    access: { ...access, units: new Map(access.units).set('repo.code', code) },
  }
}
