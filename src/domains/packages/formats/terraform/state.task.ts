import { members, textOf } from '../../../../core/platform/json-members.ts'

/** The members of a state that are read; everything else may be encrypted. */
export interface TerraformState {
  /** Increases with each state of a series. */
  readonly serial: number
  /** Identifies the series of states. */
  readonly lineage: string
}

const MAX_LINEAGE = 255

/** Reads the JSON of a state; throws for other texts. Runs in a child process. */
export const createTask =
  () =>
  (bytes: Uint8Array): TerraformState => {
    const { serial, lineage } = members(JSON.parse(Buffer.from(bytes).toString('utf8')))
    if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0)
      throw new Error('the serial of the state is not a number')
    return { serial, lineage: textOf(lineage, MAX_LINEAGE) }
  }
