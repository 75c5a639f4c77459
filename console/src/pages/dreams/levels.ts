import type { Schemas } from "../../api/client";

type Level = Schemas["ObservationsOut"]["observations"][number]["level"];

/** How much an observation matters. */
export const LEVELS: Record<Level, { dots: string; words: string }> = {
  RED: { dots: "●●●", words: "critical" },
  YLW: { dots: "●●", words: "important" },
  GRN: { dots: "●", words: "good to know" },
};
