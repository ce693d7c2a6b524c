import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import type { ColumnView } from './columns/column-views.ts'
import type { Project, ProjectColumn } from './project.model.ts'
import type { ProjectHome, ProjectView } from './project-views.ts'

const creatorOf = (creator: User | undefined, viewer: Viewer, site: Site): Project['creator'] =>
  creator ? userPresenters.present(creator, viewer, site) : userPresenters.presentGhost(site)

/** The address of the web page of a project. */
const projectUrl = (home: ProjectHome, id: number, site: Site): string =>
  'repo' in home
    ? `${repoUrls(home.repo, site).html}/projects/${id}`
    : `${site.rootUrl()}/${home.account.name}/-/projects/${id}`

function typeOf(home: ProjectHome): Project['type'] {
  if ('repo' in home) return 'repository'
  return home.account.kind === 'organization' ? 'organization' : 'individual'
}

export function presentProject({ project, home, creator, counts }: ProjectView, viewer: Viewer, site: Site): Project {
  const { id, title, description, closedAt } = project
  return {
    id,
    title,
    description,
    type: typeOf(home),
    template_type: project.templateType,
    card_type: project.cardType,
    owner_id: 'repo' in home ? 0 : home.account.id,
    repo_id: 'repo' in home ? home.repo.id : 0,
    creator: creatorOf(creator, viewer, site),
    creator_id: project.creatorId,
    state: closedAt === undefined ? 'open' : 'closed',
    is_closed: closedAt !== undefined,
    num_issues: counts.open + counts.closed,
    num_open_issues: counts.open,
    num_closed_issues: counts.closed,
    html_url: projectUrl(home, id, site),
    created_at: wireTime(project.createdAt),
    updated_at: wireTime(project.updatedAt),
    closed_at: closedAt === undefined ? null : wireTime(closedAt),
  }
}

export const presentColumn = ({ column, creator }: ColumnView, viewer: Viewer, site: Site): ProjectColumn => ({
  id: column.id,
  project_id: column.projectId,
  title: column.title,
  color: column.color,
  default: column.isDefault,
  sorting: column.sorting,
  creator: creatorOf(creator, viewer, site),
  created_at: wireTime(column.createdAt),
  updated_at: wireTime(column.updatedAt),
})
