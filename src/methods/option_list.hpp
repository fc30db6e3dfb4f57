// The options of a method as members of its options struct: name, range and meaning stand here once, the default is the
// struct's own initializer.
#pragma once

#include "methods/method_spec.hpp"

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace achilles {

constexpr double kUnbounded = 1e12;  // where an option has no upper end

struct OptionRange {
  double minimum = 0;
  double maximum = kUnbounded;
};

/// `member` is a pointer to member, or anything that returns a reference to one: [](auto& o) -> double& { ... }.
template <class Options>
class OptionList {
  template <class Member>
  using Value = std::remove_cvref_t<std::invoke_result_t<Member, Options&>>;

 public:
  template <class Member>
  OptionList& number(std::string_view name, Member member, std::string_view meaning, OptionRange range = {}) {
    static_assert(std::is_same_v<Value<Member>, double>);
    add({name, OptionInfo::Type::kNumber, standard(member), range.minimum, range.maximum, {}, meaning},
        [member](Options& to, const OptionValue& value) { std::invoke(member, to) = std::get<double>(value); });
    return *this;
  }

  template <class Member>
  OptionList& integer(std::string_view name, Member member, std::string_view meaning, OptionRange range) {
    static_assert(std::is_integral_v<Value<Member>>);
    const auto value = static_cast<double>(standard(member));
    add({name, OptionInfo::Type::kInteger, value, range.minimum, range.maximum, {}, meaning},
        [member](Options& to, const OptionValue& given) {
          std::invoke(member, to) = static_cast<Value<Member>>(std::get<double>(given));
        });
    return *this;
  }

  template <class Member>
  OptionList& boolean(std::string_view name, Member member, std::string_view meaning) {
    static_assert(std::is_same_v<Value<Member>, bool>);
    add({name, OptionInfo::Type::kBoolean, standard(member), 0, 0, {}, meaning},
        [member](Options& to, const OptionValue& value) { std::invoke(member, to) = std::get<bool>(value); });
    return *this;
  }

  /// Words for the values of an enumeration or a boolean.
  template <class Member>
  OptionList& word(std::string_view name, Member member,
                   std::initializer_list<std::pair<std::string_view, Value<Member>>> words, std::string_view meaning) {
    OptionInfo info{name, OptionInfo::Type::kWord, std::string(), 0, 0, {}, meaning};
    for (const auto& [word, value] : words) {
      info.words.push_back(word);
      if (value == standard(member)) info.standard = std::string(word);
    }
    add(std::move(info), [member, words = std::vector(words)](Options& to, const OptionValue& given) {
      for (const auto& [word, value] : words) {
        if (word == std::get<std::string>(given)) std::invoke(member, to) = value;
      }
    });
    return *this;
  }

  /// The option added last does nothing unless that boolean one is on.
  OptionList& needs(std::string_view option) {
    infos_.back().needs = option;
    return *this;
  }

  /// What the description gives, and the defaults elsewhere. Its values are of the right types.
  [[nodiscard]] Options read(const MethodDescription& description) const {
    Options options;
    for (std::size_t k = 0; k < infos_.size(); ++k) {
      const auto given = description.options.find(std::string(infos_[k].name));
      if (given != description.options.end()) setters_[k](options, given->second);
    }
    return options;
  }

  [[nodiscard]] const std::vector<OptionInfo>& infos() const { return infos_; }

 private:
  using Setter = std::function<void(Options&, const OptionValue&)>;

  template <class Member>
  [[nodiscard]] static Value<Member> standard(Member member) {
    Options options;
    return std::invoke(member, options);
  }
  void add(OptionInfo info, Setter setter) {
    infos_.push_back(std::move(info));
    setters_.push_back(std::move(setter));
  }

  std::vector<OptionInfo> infos_;
  std::vector<Setter> setters_;  // per option
};

}  // namespace achilles
