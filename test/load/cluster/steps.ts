/** The actions of a run, one after the other. */
export const steps = ["Reserve", "Charge", "Pack", "Ship", "Tell"] as const;
