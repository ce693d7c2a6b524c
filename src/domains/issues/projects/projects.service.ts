import type { Core } from '../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { flag } from '../../../core/db/flag.ts'
import type { ProjectId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { errors } from '../../errors.ts'
import { insertColumns } from './columns/column.store.ts'
import { allowsProjects, CARD_TYPES, requireTitle, requireWord, TEMPLATES } from './project.policy.ts'
import {
  deleteProject,
  findProject,
  insertProject,
  listProjects,
  lockProjects,
  ownerColumns,
  type Project,
  type ProjectOwner,
  updateProject,
} from './project.store.ts'
import type { TemplateType } from './project.table.ts'
import { loadProjectViews, type ProjectHome, type ProjectView } from './project-views.ts'
import { loadOwnerModes } from './rights/load-rights.ts'
import { projectOrigin, projectPayload } from './projects.events.ts'

interface NewProject {
  readonly title: string
  readonly description: string
  /** A key of TEMPLATES. */
  readonly templateType: string
  /** One of CARD_TYPES. */
  readonly cardType: string
}

/** Absent members are unchanged. */
interface ProjectChange {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly cardType?: string | undefined
  /** `open` or `closed`. */
  readonly state?: string | undefined
}

export type ProjectDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Projects = ReturnType<typeof createProjects>

/** Project boards of repositories, users and organizations (behaviour/issues#projects). Callers check permissions. */
export function createProjects({ database, clock, events }: ProjectDeps) {
  const { read } = database
  const view = async (viewer: Viewer, home: ProjectHome, project: Project): Promise<ProjectView> =>
    (await loadProjectViews(read, viewer, [project], () => home))[0]!
  return {
    /** Projects ordered by id. */
    async list(
      viewer: Viewer,
      home: ProjectHome,
      options: { readonly state: 'open' | 'closed' | 'all'; readonly paging: Paging },
    ): Promise<Page<ProjectView>> {
      const { items, total } = await listProjects(read, ownerOf(home), options)
      return { items: await loadProjectViews(read, viewer, items, () => home), total }
    },

    /** Throws NotFound. */
    get: async (home: ProjectHome, id: ProjectId): Promise<Project> =>
      requireProject(await findProject(read, ownerOf(home), id)),

    /** Throws NotFound also for a project that the viewer may not read; the viewer sees the owner. */
    async getInView(viewer: Viewer, home: ProjectHome, id: ProjectId): Promise<Project> {
      const isReadable =
        'repo' in home
          ? allowsProjects(home.repo, 'repo')
          : (await loadOwnerModes(read, viewer, [home.account])).get(home.account.id)! >= AccessMode.read
      return requireProject(isReadable ? await findProject(read, ownerOf(home), id) : undefined)
    },

    view,

    /** Creates a project with the columns of its template. Throws Invalid. */
    async create(actor: SignedIn, home: ProjectHome, input: NewProject): Promise<ProjectView> {
      const title = requireTitle(input.title)
      const templateType = requireWord('TemplateType', input.templateType, Object.keys(TEMPLATES) as TemplateType[])
      const cardType = requireWord('CardType', input.cardType, CARD_TYPES)
      const project = await database.transaction(async (tx) => {
        const at = clock.now()
        const times = { creator_id: actor.account.id, created_at: at, updated_at: at }
        const made = await insertProject(tx, {
          ...ownerColumns(ownerOf(home)),
          ...times,
          title,
          description: input.description,
          template_type: templateType,
          card_type: cardType,
        })
        await insertColumns(
          tx,
          TEMPLATES[templateType].map((name, sorting) => ({
            ...times,
            project_id: made.id,
            title: name,
            is_default: flag(sorting === 0),
            sorting,
          })),
        )
        await events.append(tx, 'project.created', projectOrigin(actor, made, at), projectPayload(made))
        return made
      })
      return view(actor, home, project)
    },

    /** Throws NotFound, and Invalid as `create`. */
    async edit(actor: SignedIn, home: ProjectHome, id: ProjectId, change: ProjectChange): Promise<ProjectView> {
      const { title, description, cardType, state } = change
      const texts = {
        ...(title !== undefined && { title: requireTitle(title) }),
        ...(description !== undefined && { description }),
        ...(cardType !== undefined && { card_type: requireWord('CardType', cardType, CARD_TYPES) }),
      }
      const toState = state === undefined ? undefined : requireWord('State', state, ['open', 'closed'])
      const project = await database.transaction(async (tx) => {
        const at = clock.now()
        const before = await lockProject(tx, ownerOf(home), id)
        const isClosed = toState === undefined ? before.closedAt !== undefined : toState === 'closed'
        const hasNewState = isClosed !== (before.closedAt !== undefined)
        const edited = await updateProject(tx, id, {
          ...texts,
          ...(hasNewState && { is_closed: flag(isClosed), closed_at: isClosed ? at : 0 }),
          updated_at: at,
        })
        const origin = projectOrigin(actor, edited, at)
        if (Object.keys(texts).length > 0) await events.append(tx, 'project.edited', origin, projectPayload(edited))
        const kind = isClosed ? 'project.closed' : 'project.reopened'
        if (hasNewState) await events.append(tx, kind, origin, projectPayload(edited))
        return edited
      })
      return view(actor, home, project)
    },

    /** Deletes the project with its columns; the issues remain. Throws NotFound. */
    delete: (actor: SignedIn, home: ProjectHome, id: ProjectId): Promise<void> =>
      database.transaction(async (tx) => {
        const project = await lockProject(tx, ownerOf(home), id)
        await deleteProject(tx, id)
        const payload = { ...projectPayload(project), record: project }
        await events.append(tx, 'project.deleted', projectOrigin(actor, project, clock.now()), payload)
      }),
  }
}

const ownerOf = (home: ProjectHome): ProjectOwner =>
  'repo' in home ? { repoId: home.repo.id } : { ownerId: home.account.id }

function requireProject(project: Project | undefined): Project {
  if (project === undefined) throw errors.projectNotFound()
  return project
}

/** Throws NotFound, also if the project has another owner. */
export async function lockProject(tx: Tx, owner: ProjectOwner, id: ProjectId): Promise<Project> {
  requireProject(await findProject(tx, owner, id))
  return requireProject((await lockProjects(tx, [id]))[0])
}
