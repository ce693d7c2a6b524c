import { randomUUID } from 'node:crypto'
import type { App } from '../../src/app.ts'
import { sha256Hex } from '../../src/platform/crypto/crypto.ts'
import { type ActionsPlace, placeColumns } from '../../src/subjects/actions/place.ts'
import { insertRunner } from '../../src/subjects/actions/runners/runner.store.ts'

interface NewRunner {
  readonly name?: string
  readonly labels?: readonly string[]
  readonly isEphemeral?: boolean
  readonly onlineAt?: number
  readonly activeAt?: number
}

/** Rows that runners and events write, made by the stores. */
export const createActionsFactory = ({ database }: Pick<App, 'database'>) => ({
  /** A runner as it is after it registered; returns its id. */
  runner: (place: ActionsPlace, { name = 'runner', labels = [], isEphemeral = false, ...at }: NewRunner = {}) =>
    database.transaction((tx) =>
      insertRunner(tx, {
        ...placeColumns(place),
        uuid: randomUUID(),
        name,
        token_hash: sha256Hex(randomUUID()),
        labels: JSON.stringify(labels),
        is_ephemeral: isEphemeral ? 1 : 0,
        online_at: at.onlineAt ?? 0,
        active_at: at.activeAt ?? 0,
        created_at: 1,
        updated_at: 1,
      }),
    ),
})
