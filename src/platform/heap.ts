import { setFlagsFromString } from 'node:v8'

/** Ends what `ingot.js` began for the time of loading: from now on the young generation grows with the load. */
export const letYoungGenerationGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2')
