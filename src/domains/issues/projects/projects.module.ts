import { defineModule } from '../../../core/module.ts'
import { cardOperations } from './cards/cards.operations.ts'
import { type Cards, createCards } from './cards/cards.service.ts'
import { columnOperations } from './columns/columns.operations.ts'
import { type Columns, createColumns } from './columns/columns.service.ts'
import { loadEntryProjects } from './entry-projects.ts'
import { operationsOfLevels } from './levels.ts'
import { projectEvents } from './projects.events.ts'
import { projectOperations } from './projects.operations.ts'
import { cardProjections } from './projects.projection.ts'
import { createProjects, type Projects } from './projects.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly projects: Projects
    readonly projectColumns: Columns
    readonly projectCards: Cards
  }
}

/** Project boards of repositories, users and organizations. */
export const module = defineModule({
  name: 'projects',
  needs: ['timeline'],
  create({ database, clock, events, site }, { timeline }, guards) {
    timeline.registerDetails(['project', 'project_board'], loadEntryProjects(database.read))
    const deps = { database, clock, events }
    const [projects, columns, cards] = [createProjects(deps), createColumns(deps), createCards(deps)]
    const parts = { projects, columns, cards, site }
    return {
      services: { projects, projectColumns: columns, projectCards: cards },
      operations: operationsOfLevels({ read: database.read, guards }, (level) => [
        ...projectOperations(parts, level),
        ...columnOperations(parts, level),
        ...cardOperations(parts, level),
      ]),
      events: projectEvents,
      projections: cardProjections,
    }
  },
})
