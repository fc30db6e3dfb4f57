// A format described as data: what may stand at a place of a scene file. The checks, the JSON Schema, the reference
// tables and the paths of --set all read the same description.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

/// Of a body, joint, trigger or material, in bytes.
inline constexpr std::size_t kLongestName = 200;

struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool above = false;  // lower itself is not allowed
};

/// Keys of a mapping that state the same thing in different ways.
struct Alternatives {
  std::vector<std::string> keys;
  bool required = false;  // exactly one instead of at most one
};

struct Field;
struct Variant;

struct Spec {
  enum class Kind {
    kNumber,      // range, unit
    kInteger,     // range
    kBoolean,     //
    kWord,        // words
    kText,        //
    kVector,      // size numbers, each in range; is_direction: not all of them zero
    kTuple,       // parts in this order
    kList,        // parts[0], min_items, max_items, name_key
    kMapping,     // fields, alternatives
    kDictionary,  // any name: parts[0]; besides, fields
    kTagged,      // fields for all; the word under `tag` selects further ones
    kEither,      // parts, distinguished by the kind of YAML node
    kReference    // to the definition `name`
  };
  Kind kind = Kind::kNumber;
  std::string name;  // of a mapping, for messages ("a body") and of the definition a reference means
  Range range;
  std::string unit;
  std::vector<std::string> words;
  int size = 0;
  bool is_direction = false;
  bool is_integral = false;  // of a vector: integers only
  std::size_t min_items = 0;
  std::size_t max_items = std::numeric_limits<std::size_t>::max();
  bool is_unique = false;  // of a list of words: none twice
  std::string name_key;    // of a list: the key by which --set and messages name its items
  std::vector<Spec> parts;
  std::vector<Field> fields;
  std::vector<Alternatives> alternatives;
  std::string tag;       // of kTagged
  std::string standard;  // the tag's word where it is not written; empty: it must be
  std::vector<Variant> variants;
};

struct Field {
  std::string name;
  Spec spec;
  std::string meaning;  // one sentence for people
  bool required = false;
  std::string standard = {};  // the default, as written in a scene; empty: there is none
};

struct Variant {
  std::string word;
  std::string meaning;
  std::vector<Field> fields;
  std::vector<Alternatives> alternatives = {};
};

/// The definitions a kReference may mean, and the root.
struct Format {
  std::map<std::string, Spec> definitions;
  Spec root;

  /// The spec itself, or the definition it refers to.
  [[nodiscard]] const Spec& resolve(const Spec& spec) const;
};

[[nodiscard]] Spec number(std::string unit = {});
[[nodiscard]] Spec positive(std::string unit = {});
[[nodiscard]] Spec not_negative(std::string unit = {});
[[nodiscard]] Spec number_in(double lower, double upper);
[[nodiscard]] Spec integer_in(double lower, double upper);
[[nodiscard]] Spec boolean();
[[nodiscard]] Spec text();
[[nodiscard]] Spec word(std::vector<std::string> words);
[[nodiscard]] Spec vector(int size, std::string unit = {}, Range range = {});
[[nodiscard]] Spec direction();
[[nodiscard]] Spec tuple(std::vector<Spec> parts);
[[nodiscard]] Spec list(Spec item, std::size_t min_items = 0,
                        std::size_t max_items = std::numeric_limits<std::size_t>::max());
[[nodiscard]] Spec named_list(std::string name_key, Spec item);
[[nodiscard]] Spec mapping(std::string name, std::vector<Field> fields, std::vector<Alternatives> alternatives = {});
[[nodiscard]] Spec dictionary(std::string name, Spec item, std::vector<Field> fields);
[[nodiscard]] Spec either(std::vector<Spec> parts);
[[nodiscard]] Spec reference(std::string name);

/// The word a tagged mapping goes by, its variant; nullptr when there is none of that word.
[[nodiscard]] const Variant* find_variant(const Spec& tagged, std::string_view word);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Field>& fields);

/// "a number above 0 [kg]", "a list of 3 numbers [m]", "one of: dynamic, fixed, scripted".
[[nodiscard]] std::string describe(const Spec& spec, const Format& format);

}  // namespace achilles::scene_file
