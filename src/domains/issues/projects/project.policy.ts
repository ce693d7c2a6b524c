import {
  AccessMode,
  canSeeOwner,
  type OwnerFacts,
  type RepoAccess,
  unitMode,
} from '../../../core/access/repo-access.ts'
import { isPublicOnly, isRestrictedToken, type Viewer } from '../../../core/access/viewer.ts'
import { engineErrors, invalidField } from '../../../core/platform/errors.ts'
import { parseRepoSettings, type Repo } from '../../repositories/index.ts'
import type { Project } from './project.store.ts'
import type { CardType, TemplateType } from './project.table.ts'

export const CARD_TYPES: readonly CardType[] = ['text_only', 'images_and_text']

/** The titles of the columns of a new project, by template; the first is the default column. */
export const TEMPLATES: Readonly<Record<TemplateType, readonly string[]>> = {
  none: ['Uncategorized'],
  basic_kanban: ['Backlog', 'To Do', 'In Progress', 'Done'],
  bug_triage: ['Needs Triage', 'High Priority', 'Low Priority', 'Closed'],
}

export const MAX_COLUMNS = 100
/** Projects of one issue. */
export const MAX_PROJECTS = 100

export const MAX_SORTING = 127

/** Throws Invalid. */
export function requireTitle(title: string): string {
  const trimmed = title.trim()
  if (trimmed === '') throw engineErrors.fieldRequired('Title')
  return trimmed
}

/** Throws Invalid. */
export function requireWord<Word extends string>(field: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text)
  if (word === undefined) throw invalidField(field, `In (${words.join(', ')})`)
  return word
}

/** Throws Invalid. */
export function requireColor(text: string): string {
  if (text !== '' && !/^#[0-9a-f]{6}$/i.test(text)) throw invalidField('Color', 'must be #RRGGBB')
  return text.toLowerCase()
}

/** Whether the settings of a repository allow its own projects, or those of its owner, for its issues. */
export function allowsProjects({ settings }: Pick<Repo, 'settings'>, of: 'repo' | 'owner'): boolean {
  const { projectsMode } = parseRepoSettings(settings)
  return projectsMode === 'all' || projectsMode === of
}

/** The level of a viewer on the projects of a repository. */
export const repoProjectsMode = (repo: Repo, access: RepoAccess): AccessMode =>
  allowsProjects(repo, 'repo') ? unitMode(access, 'repo.projects') : AccessMode.none

/**
 * The level of a viewer on the projects of a user or an organization: that on a public repository of the account.
 * `membership` is the level by the teams of the viewer, undefined if not a member (behaviour/issues#projects).
 */
export function ownerProjectsMode(viewer: Viewer, owner: OwnerFacts, membership: AccessMode | undefined): AccessMode {
  const isPublic = owner.visibility === 'public'
  if (viewer.kind === 'anonymous') return isPublic ? AccessMode.read : AccessMode.none
  if (isRestrictedToken(viewer) || (isPublicOnly(viewer) && !isPublic)) return AccessMode.none
  if (viewer.account.isAdmin || viewer.account.id === owner.id) return AccessMode.owner
  if (!canSeeOwner(viewer, owner, membership !== undefined)) return AccessMode.none
  return Math.max(AccessMode.read, membership ?? AccessMode.none) as AccessMode
}

/** The levels of a viewer on the projects to which issues of a repository may belong. */
export interface ProjectRights {
  readonly repo: AccessMode
  readonly owner: AccessMode
}

/** The level on one project; none if issues of the repository cannot belong to it. */
export function modeOn(rights: ProjectRights, repo: Pick<Repo, 'id' | 'ownerId'>, { owner }: Project): AccessMode {
  if ('repoId' in owner) return owner.repoId === repo.id ? rights.repo : AccessMode.none
  return owner.ownerId === repo.ownerId ? rights.owner : AccessMode.none
}
