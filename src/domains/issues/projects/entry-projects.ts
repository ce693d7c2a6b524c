import { AccessMode } from '../../../core/access/repo-access.ts'
import type { Db } from '../../../core/db/database.ts'
import { accessQueries, repoQueries } from '../../repositories/index.ts'
import { isKind } from '../issues/timeline/timeline-entry.store.ts'
import type { Timeline } from '../issues/timeline/timeline.service.ts'
import { modeOn } from './project.policy.ts'
import { listProjectsByIds } from './project.store.ts'
import { loadProjectRights } from './rights/load-rights.ts'

type DetailsLoader = Parameters<Timeline['registerDetails']>[1]

/** The ids of projects in entries of the timeline of one issue; absent for projects that the viewer may not read. */
export const loadEntryProjects =
  (read: Db): DetailsLoader =>
  async (viewer, entries) => {
    const repo = await repoQueries.findById(read, entries[0]!.repoId)
    if (repo === undefined) return new Map()
    const access = await accessQueries.load(read, viewer, repo)
    const rights = await loadProjectRights(read, viewer, { repo, access })
    const projects = await listProjectsByIds(read, [...new Set(entries.map(({ targetId }) => targetId))])
    const readable = projects.filter((project) => modeOn(rights, repo, project) >= AccessMode.read)
    const ids = new Set<number>(readable.map(({ id }) => id))
    return new Map(
      entries
        .filter(({ targetId }) => ids.has(targetId))
        .map((entry) => {
          const isRemoved = isKind(entry, 'project') && !entry.payload.isAdded
          return [entry.id, isRemoved ? { old_project_id: entry.targetId } : { project_id: entry.targetId }]
        }),
    )
  }
