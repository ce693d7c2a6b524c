import { Type, type Static } from '@sinclair/typebox'
import { OneOf } from '../../../core/http/answer/text.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

const Counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

export const RepoMigration = Type.Object(
  {
    id: Type.Integer(),
    state: OneOf('running', 'done', 'failed', 'canceled'),
    owner: Type.String({ description: 'Owner of the new repository; empty if the account was deleted' }),
    name: Type.String({ description: 'Name of the new repository' }),
    phase: Type.String({ description: 'The kind of data that is imported now; empty while git data is fetched' }),
    done: Counts('Imported items by kind'),
    total: Counts('Items by kind as the other server states them; kinds it does not count are absent'),
    warnings: Type.Array(Type.String(), { description: 'What was left out and why; the first 1,000' }),
    warnings_count: Type.Integer(),
    error: Type.String({ description: 'Why it failed; empty otherwise' }),
    /** Once the repository is complete. */
    repo_id: Nullable(Type.Integer()),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'RepoMigration' },
)
export type RepoMigration = Static<typeof RepoMigration>
