import { Type } from '@sinclair/typebox'
import { URL_LENGTH } from '../../../core/http/body/limits.ts'
import { noContent } from '../../../core/http/answer/answer.ts'
import { anyone, requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import type { Guards } from '../../../core/module.ts'
import { RepoTopicOptions, TopicListResponse, TopicName } from './topic.model.ts'
import { presentTopic } from './topic.present.ts'
import type { Topics } from './topics.service.ts'

const PATH = '/repos/{owner}/{repo}/topics'

interface TopicOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly topics: Topics
}

export function topicOperations({ guards, topics }: TopicOperationDeps): Operation[] {
  const common = { area: 'repository', scopes: ['repository'] } as const
  const change = {
    ...common,
    guard: guards.repo('admin'),
    responses: { 204: null },
    errors: [401, 403, 404, 422],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoListTopics',
      method: 'GET',
      path: PATH,
      summary: 'Topics of a repository',
      guard: guards.repo('see'),
      query: pagingQuery,
      responses: { 200: TopicName },
      errors: [404],
      handler({ access: { repo }, paging }) {
        const { items, total } = topics.list(repo, paging)
        return { status: 200, body: { topics: items }, total }
      },
    }),
    defineOperation({
      ...change,
      id: 'repoUpdateTopics',
      method: 'PUT',
      path: PATH,
      summary: 'Replace all topics of a repository',
      body: RepoTopicOptions,
      async handler({ access: { repo }, viewer, body }) {
        await topics.replace(requireUser(viewer), repo, body.topics ?? [])
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoAddTopic',
      method: 'PUT',
      path: `${PATH}/{topic}`,
      summary: 'Add a topic',
      async handler({ access: { repo }, viewer, params }) {
        await topics.add(requireUser(viewer), repo, params.topic)
        return noContent()
      },
    }),
    defineOperation({
      ...change,
      id: 'repoDeleteTopic',
      method: 'DELETE',
      path: `${PATH}/{topic}`,
      summary: 'Delete a topic',
      async handler({ access: { repo }, viewer, params }) {
        await topics.delete(requireUser(viewer), repo, params.topic)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'topicSearch',
      cost: 1,
      method: 'GET',
      path: '/topics/search',
      summary: 'Search topics by a part of their name, most used first',
      guard: anyone,
      query: Type.Object({ q: Type.Optional(Type.String({ maxLength: URL_LENGTH })), ...pagingMembers }),
      responses: { 200: TopicListResponse },
      async handler({ query, paging }) {
        const { items, total } = await topics.search(query.q ?? '', paging)
        return { status: 200, body: { topics: items.map(presentTopic) }, total }
      },
    }),
  ]
}
