import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { EventStream, type Streams } from '../../../core/streams/index.ts'
import type { Guards } from '../../../core/module.ts'
import type { RepoEventPublisher } from './repo-event-publisher.ts'

interface RepoEventOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly streams: Pick<Streams, 'open'>
  readonly publisher: Pick<RepoEventPublisher, 'channel'>
}

/** Streams the events of a repository (behaviour/repositories#event-stream). */
export const repoEventOperations = ({ guards, streams, publisher }: RepoEventOperationDeps): Operation[] => [
  defineOperation({
    id: 'repoStreamEvents',
    method: 'GET',
    path: '/repos/{owner}/{repo}/events/stream',
    area: 'repository',
    scopes: ['repository'],
    summary: 'What happens in a repository, as server-sent events',
    guard: guards.repo('see'),
    responses: { 200: EventStream },
    errors: [404, 429],
    handler: ({ viewer, access, reauthorization, network, headers }) =>
      streams.open(
        { viewer, access, reauthorization, network, lastEventId: headers['last-event-id'] },
        publisher.channel(access.repo.id),
      ),
  }),
]
