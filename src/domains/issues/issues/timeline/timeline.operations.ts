import { Type } from '@sinclair/typebox'
import { listed } from '../../../../core/http/answer/answer.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { entryPresenter } from './entry.present.ts'
import { TimelineComment } from './timeline.model.ts'
import type { Timeline } from './timeline.service.ts'
import { readUpdateSpan, updateSpanMembers } from './update-span.ts'

interface TimelineOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly timeline: Pick<Timeline, 'list'>
  readonly site: Site
}

/** The timeline of issues and pull requests (behaviour/issues#timeline). */
export const timelineOperations = ({ guards, timeline, site }: TimelineOperationDeps): Operation[] => [
  defineOperation({
    id: 'issueGetCommentsAndTimeline',
    area: 'issue',
    scopes: ['issue'],
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{index:int}/timeline',
    summary: 'Comments and events of an issue, the oldest first',
    guard: guards.issue('read'),
    query: Type.Object({ ...pagingMembers, ...updateSpanMembers }),
    responses: { 200: Type.Array(TimelineComment) },
    errors: [404, 422],
    async handler({ access, viewer, query, paging }) {
      const { entries, ...facts } = await timeline.list(viewer, access, readUpdateSpan(query), paging)
      const items = entries.map(entryPresenter({ ...facts, ...access, viewer, site }))
      // COMPAT: the total is that of the page (test/issues/timeline.test.ts).
      return listed({ items, total: items.length }, items, { link: false })
    },
  }),
]
