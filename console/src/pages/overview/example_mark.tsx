import { remove, type Schemas } from "../../api/client";
import { attempt } from "../../parts/toast";
import { go, to } from "../../router";

/** Says that a mind is the example, and takes it away with one click. */
export function ExampleMark({ mind }: { mind: Schemas["MindOut"] & { is_example?: boolean } }) {
  if (!mind.is_example) return null;
  const away = async () => {
    const erased = () => remove("/v1/minds/{mind_id}", { path: { mind_id: mind.mind_id } });
    if (await attempt(erased)) go(to(""));
  };
  return (
    <p class="card example-mark">
      <span>This is an example: Ann is made up, and so is all that she said.</span>
      <button type="button" onClick={() => void away()}>Take it away</button>
    </p>
  );
}
