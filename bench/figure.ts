import type { Run } from './run.ts'

/** A figure and its limits; `measured` is undefined if the server lacks it or it cannot be known. */
export interface Figure {
  readonly name: string
  readonly measured: number | undefined
  readonly unit:
    'us' | 'ms' | 'MB' | 'processes' | 'packs' | 'commits' | 'deliveries' | 'requests' | 'jobs' | 'lines' | 'H'
  /** The equal work done by other means in the same run. */
  readonly beside?: { readonly name: string; readonly value: number }
  /** Limit of the measured figure, or of its ratio to `beside`. */
  readonly max?: number
  /** The measured figure is to be at least this. */
  readonly min?: number
}

/** A measurement that gives one or more figures. */
export interface Trial {
  /** Names of its figures, by which `--only` selects. */
  readonly names: readonly string[]
  readonly needs: 'site' | 'large'
  run(run: Run): Promise<Figure[]>
}
